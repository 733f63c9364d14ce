/** Parts above the page that it doesn't need to be shown. A module is loaded once, however often it is asked for. */
export const loadMenuList = () => import('./controls/menu-list.tsx')
export const loadDialogBox = () => import('./layout/dialog-box.tsx')
export const loadTooltipBubble = () => import('./feedback/tooltip-bubble.tsx')

/** Loads all of them, so that the first menu, dialog and tooltip appear at once. A failure shows when one is wanted. */
export async function loadParts(): Promise<void> {
  await Promise.allSettled([loadMenuList(), loadDialogBox(), loadTooltipBubble()])
}
