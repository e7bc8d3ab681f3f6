// Questions to the program. Addresses are relative, so that the secret in the page's own address goes along.

class Problem extends Error {
  constructor(message, kind) {
    super(message);
    this.kind = kind;
  }
}

// The answer: JSON as a value, everything else as the response.
async function ask(place, body) {
  const binary = body instanceof Blob;
  let response;
  try {
    response = await fetch(place, {
      method: "POST",
      headers: { "Content-Type": binary ? "application/octet-stream" : "application/json" },
      body: binary ? body : JSON.stringify(body),
    });
  } catch (error) {
    throw new Problem("The program does not answer. If it was ended, start it again and open the address that it prints.", "gone");
  }
  const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
  if (response.ok && !isJson) return response;
  let told = {};
  try {
    told = await response.json();
  } catch (error) {
    // Refusals have no body.
  }
  if (response.ok && told.error === undefined) return told;
  throw new Problem(told.error || `The program refused this (${response.status}).`, told.kind || "");
}

const one = (id) => document.getElementById(id);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const plain = (value, digits) => {
  if (value === null || value === undefined) return "–";
  return Number(value.toPrecision(digits || 5)).toString();
};
const share = (value) => `${Number((100 * value).toPrecision(3))} %`;
