import type { Page } from 'playwright-core'

/** What the page has had the browser show: title, body, and the notification itself. */
interface Telling {
  told: [string, string, EventTarget][]
}

/** From the next load on, the browser keeps what it would have shown. */
export async function keepTold(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: unknown[] = []
    class Told extends EventTarget {
      static permission = 'granted'
      static requestPermission = async (): Promise<string> => 'granted'
      close = (): void => {}
      constructor(title: string, { body }: { body: string }) {
        super()
        told.push([title, body, this])
      }
    }
    Object.assign(window, { told, Notification: Told })
  })
}

/** Title and body of each, oldest first. */
export function toldBy(page: Page): Promise<[string, string][]> {
  return page.evaluate(() =>
    (window as unknown as Telling).told.map(([title, body]): [string, string] => [title, body]),
  )
}

/** Clicks the first one. */
export async function clickTold(page: Page): Promise<void> {
  await page.evaluate(() => {
    const [first] = (window as unknown as Telling).told
    first![2].dispatchEvent(new Event('click'))
  })
}

/** Another tab comes to the front, or this one again. */
export async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((is) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => is })
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (is ? 'hidden' : 'visible') })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}
