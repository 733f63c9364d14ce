import type { Page } from 'playwright-core'
import { screenshot } from '../stage/browser.ts'
import { DESKTOP, PHONE } from './visitor.ts'

/** Takes `<name>-<light|dark>.png` and `<name>-phone-<light|dark>.png` with REEVE_SCREENSHOTS=1, else nothing. */
export async function pictures(page: Page, name: string): Promise<void> {
  if (process.env.REEVE_SCREENSHOTS !== '1') return
  const size = page.viewportSize()
  // Else what lies under the pointer is drawn as pointed at.
  await page.mouse.move(0, 0)
  for (const [width, suffix] of [
    [DESKTOP, ''],
    [PHONE, '-phone'],
  ] as const) {
    await page.setViewportSize(width)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      // Two frames: the grid and the message box measure themselves again.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
      )
      await screenshot(page, `${name}${suffix}-${colorScheme}`)
    }
  }
  if (size) await page.setViewportSize(size)
}
