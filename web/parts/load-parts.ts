import { later } from './later.ts'

/** Parts above the page, which is shown without them. */
export const menuListPart = later(() => import('./controls/menu-list.tsx'))
export const dialogBoxPart = later(() => import('./layout/dialog-box.tsx'))
export const tooltipBubblePart = later(() => import('./feedback/tooltip-bubble.tsx'))

/** Loads all of them, so that the first menu, dialog and tooltip appear at once. A failure shows when one is wanted. */
export async function loadParts(): Promise<void> {
  await Promise.allSettled([menuListPart.load(), dialogBoxPart.load(), tooltipBubblePart.load()])
}
