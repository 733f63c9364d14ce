// Sets the chosen theme and density before the first paint. A separate file, because the content security policy allows
// no inline script; kept in sync with web/shell/theme.ts and web/shell/density.ts, which change the choice later.
try {
  const chosen = localStorage.getItem('reeve.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
  if (localStorage.getItem('reeve.density') === 'compact') document.documentElement.dataset.density = 'compact'
} catch {
  // Storage is blocked: the system's theme applies.
}
