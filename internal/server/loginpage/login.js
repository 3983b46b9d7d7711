// What is behind the # of the address is where somebody wanted to go: it goes
// along, and the browser keeps it over the redirect.
const form = document.querySelector("form")
form.addEventListener("submit", () => {
  form.action = "/login" + location.hash
})
