import { menuListPart } from './controls/menu.tsx'
import { tooltipBubblePart } from './feedback/tooltip-wish.ts'
import { dialogBoxPart } from './layout/dialog.tsx'

/**
 * Loads what shows menus, dialogs and tooltips, so that the first of each appears at once. A failure shows when one is
 * wanted.
 */
export async function loadParts(): Promise<void> {
  await Promise.allSettled([menuListPart.load(), dialogBoxPart.load(), tooltipBubblePart.load()])
}
