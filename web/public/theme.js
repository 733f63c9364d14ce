// Sets the chosen theme before the first paint. A file of its own, because the content security policy allows no
// inline script; kept in step with web/theme.ts, which changes the choice later.
try {
  const chosen = localStorage.getItem('reeve.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // Storage is blocked: the system's theme holds.
}
