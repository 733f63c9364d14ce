import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeSerious } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 360, height: 780 }

export interface VisitorOptions {
  /** Of its clocks; else as the machine has it. */
  readonly zone?: string
  /** A phone: 360 px wide, with touch. */
  readonly phone?: boolean
  readonly dark?: boolean
  /** Takes a certificate of whatever authority. */
  readonly trusting?: boolean
}

/** A person at a browser of their own (cookies, storage), whose every page is watched for what must never happen. */
export interface Visitor extends AsyncDisposable {
  readonly context: BrowserContext
  readonly page: Page
  /** Paths of all requests so far, with their query. */
  readonly paths: readonly string[]
  /** A message of the console that the test provokes: a refused request is one in Chromium. */
  expectMessage(pattern: RegExp): void
  /** An origin that the test lets the browser go to. */
  expectForeign(origin: string): void
  /** Signs in on the sign-in page, and waits until another page is there. */
  signIn(username: string): Promise<void>
  /** No serious or critical finding of axe on the page as it is now, and nothing of `assertClean`. */
  expectAccessible(page?: Page): Promise<void>
  /** No error on the console, no exception, no violation of the content policy, no request to a foreign origin. */
  assertClean(): void
}

/** Opens a browser window of its own at the service at `base`. Dispose it: it is checked once more and closed. */
export async function openVisitor(browser: Browser, base: string, options: VisitorOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: base,
    viewport: options.phone ? PHONE : DESKTOP,
    hasTouch: options.phone === true,
    isMobile: options.phone === true,
    colorScheme: options.dark ? 'dark' : 'light',
    // Else axe measures the contrast of text that is still fading in.
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: options.trusting === true,
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
    ...(options.zone !== undefined && { timezoneId: options.zone }),
  })
  context.setDefaultTimeout(30_000)
  const troubles: string[] = []
  const paths: string[] = []
  const expected: RegExp[] = []
  const welcome = new Set<string>()
  context.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => troubles.push(`exception: ${error.error().stack}`))
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin === base) paths.push(url.pathname + url.search)
    else if (!welcome.has(url.origin) && url.protocol !== 'data:' && url.protocol !== 'blob:')
      troubles.push(`foreign request: ${url.href}`)
  })
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`content policy: ${event.violatedDirective} ${event.blockedURI}`),
    )
  })
  const page = await context.newPage()
  const assertClean = (): void =>
    expect(troubles.filter((trouble) => !expected.some((pattern) => pattern.test(trouble)))).toEqual([])
  return {
    context,
    page,
    paths,
    expectMessage: (pattern) => void expected.push(pattern),
    expectForeign: (origin) => void welcome.add(origin),
    assertClean,
    async signIn(username) {
      if (new URL(page.url(), base).pathname !== '/login') await page.goto('/login')
      await page.getByRole('textbox', { name: 'Username' }).fill(username)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL((url) => url.pathname !== '/login')
      await page.getByRole('main').waitFor()
    },
    async expectAccessible(shown = page) {
      expect(await axeSerious(shown)).toEqual([])
      assertClean()
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      assertClean()
    },
  }
}

/** No finding of axe and nothing too wide, in both themes, on a desktop and on a phone. */
export async function expectFits(visitor: Visitor): Promise<void> {
  const { page } = visitor
  const size = page.viewportSize()
  for (const width of [DESKTOP, PHONE]) {
    await page.setViewportSize(width)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await visitor.expectAccessible()
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width.width)
  }
  if (size) await page.setViewportSize(size)
}

/** The message box; a combobox while it offers tools. */
export function messageBox(page: Page): Locator {
  const name = { name: 'Message', exact: true }
  return page.getByRole('textbox', name).or(page.getByRole('combobox', name))
}

/** Writes a message and sends it with Enter. */
export async function say(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text)
  await messageBox(page).press('Enter')
}

/** The newest answer, when it is at its end. */
export async function lastAnswer(page: Page): Promise<Locator> {
  const answer = page.getByRole('article', { name: 'Answer' }).last()
  await answer.and(page.locator('[aria-busy=false]')).waitFor()
  return answer
}

/** Chooses one of the actions behind an answer's menu. */
export async function chooseAction(answer: Locator, name: string, how: 'click' | 'tap' = 'click'): Promise<void> {
  await answer.getByRole('button', { name: 'More actions' })[how]()
  await answer.page().getByRole('menuitem', { name })[how]()
}

/** Goes on with Tab until the focus is on `target`. Every stop on the way must be visibly focused. */
export async function tabTo(page: Page, target: Locator, limit = 60): Promise<void> {
  for (let presses = 0; presses < limit; presses++) {
    await page.keyboard.press('Tab')
    expect(await invisibleFocus(page)).toBeNull()
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`${limit} times Tab does not lead to ${String(target)}.`)
}

/** Null when the focused element, or what surrounds it, looks other than without focus; else what it is. */
async function invisibleFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const focused = document.activeElement
    if (!(focused instanceof HTMLElement) || focused === document.body) return null
    const look = (): string => {
      const looks: string[] = []
      for (let element: Element | null = focused; element && looks.length < 4; element = element.parentElement) {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderTopColor } = getComputedStyle(element)
        looks.push(
          [outlineStyle, outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderTopColor].join(),
        )
      }
      return looks.join('|')
    }
    const withFocus = look()
    focused.blur()
    const without = look()
    focused.focus({ preventScroll: true })
    return withFocus === without ? focused.outerHTML.slice(0, 200) : null
  })
}

/** Whether all of it is between the top and the bottom of the window. */
export function inView(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
}
