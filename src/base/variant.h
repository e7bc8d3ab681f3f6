// std::variant whose copy survives a lack of memory. That of GCC 12 runs into nothing when memory ends in the middle of
// one: a variant of strings and vectors counts as never empty there, and its destructor looks for what is not there
// yet.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace ascribe::core {

template <class... T>
class Variant : public std::variant<T...> {
  using Base = std::variant<T...>;

 public:
  using Base::Base;
  Variant() = default;
  // The assignment copies before it changes anything.
  Variant(const Variant& other) : Base() { Base::operator=(other); }
  Variant(Variant&&) noexcept(std::is_nothrow_move_constructible_v<Base>) = default;
  Variant& operator=(const Variant&) = default;
  Variant& operator=(Variant&&) noexcept(std::is_nothrow_move_assignable_v<Base>) = default;
  ~Variant() = default;
  friend bool operator==(const Variant& a, const Variant& b) {
    return static_cast<const Base&>(a) == static_cast<const Base&>(b);
  }
};

}  // namespace ascribe::core
