/** The focused element; for a menu item, which will be removed, the menu's button. */
export function focusedNow(): Element | null {
  const label = document.activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return label == null ? document.activeElement : document.getElementById(label)
}
