import type { Browser, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { openVisitor, tabTo, type Visitor } from './visitor.ts'

/** Menus, dialogs and tooltips load what shows them when first wanted: what is done meanwhile must not be lost. */
describe('parts that are loaded when first wanted', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    page = visitor.page
    await visitor.signIn('admin')
  }, 120_000)
  afterAll(() => opened.disposeAsync())

  /** Opens the page while the requests for `files` wait; resolves with what lets them go. */
  const openWithout = async (files: string | RegExp): Promise<() => Promise<void>> => {
    const waiting: Route[] = []
    let held = true
    await page.route(files, (route) => (held ? void waiting.push(route) : route.continue()))
    const asked = new Set<Request>()
    const answered = (request: Request) => void asked.delete(request)
    page.on('request', (request) => asked.add(request))
    page.on('requestfinished', answered)
    page.on('requestfailed', answered)
    await page.goto('/chat?new=true')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    // Everything else is there, and shown: what still moves then is about the parts.
    const others = () => {
      const parts = new Set(waiting.map((route) => route.request()))
      return [...asked].filter((each) => !parts.has(each) && !each.url().includes('/activity/stream')).length
    }
    await expect.poll(others).toBe(0)
    await page.evaluate(async () => {
      // One that has arrived is not in use yet, and words in it are of other widths.
      await document.fonts.ready
      await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))
    })
    return async () => {
      held = false
      await Promise.all(waiting.map((route) => route.continue()))
    }
  }
  const accountMenu = () => page.getByRole('banner').getByRole('button', { name: 'Your account' })

  test('a menu opened by a key has the focus on its first item once it is there, and gives it back', async () => {
    const go = await openWithout('**/assets/menu-list-*.js')
    const button = accountMenu()
    await tabTo(page, button)
    await page.keyboard.press('Enter')
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await go()
    const first = page.getByRole('menu').getByRole('menuitemcheckbox').first()
    await first.waitFor()
    await expect.poll(() => first.evaluate((item) => item === document.activeElement)).toBe(true)
    await visitor.expectAccessible()
    await page.keyboard.press('Escape')
    await expect.poll(() => button.evaluate((item) => item === document.activeElement)).toBe(true)
    expect(await button.getAttribute('aria-expanded')).toBe('false')
  })

  test('a menu asked for and given up before it is there stays closed', async () => {
    const go = await openWithout('**/assets/menu-list-*.js')
    await accountMenu().click()
    await accountMenu().click()
    await go()
    expect(await accountMenu().getAttribute('aria-expanded')).toBe('false')
    await accountMenu().click()
    await page.getByRole('menu').waitFor()
    await accountMenu().click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })

  test('a tooltip appears on its element once it is there, is part of its description, and closes with Escape', async () => {
    const go = await openWithout('**/assets/tooltip-bubble-*.js')
    const button = page.getByRole('button', { name: 'Collapse sidebar' })
    await button.hover()
    await go()
    const bubble = page.getByRole('tooltip')
    await bubble.waitFor({ state: 'attached' })
    expect(await button.getAttribute('aria-describedby')).toBe(await bubble.getAttribute('id'))
    await page.keyboard.press('Escape')
    await bubble.waitFor({ state: 'detached' })
    // Moved away before it is there: nothing is left over.
    await page.mouse.move(600, 400)
    await button.focus()
    await bubble.waitFor({ state: 'attached' })
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await bubble.waitFor({ state: 'detached' })
  })

  test('nothing moves when they arrive', async () => {
    // What has them loaded, such as message-list-part, is no part itself.
    const go = await openWithout(/\/assets\/(menu-list|dialog-box|tooltip-bubble|message-list)-(?!part-)[^/]+\.js$/)
    await page.evaluate(() => {
      const moves: string[] = []
      Object.assign(window, { moves })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] }
          moves.push(`${value}: ${sources.map(({ node }) => (node?.outerHTML ?? 'gone').slice(0, 300)).join(' | ')}`)
        }
      }).observe({ type: 'layout-shift', buffered: false })
    })
    await accountMenu().click()
    await go()
    await page.getByRole('menu').waitFor()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => (window as unknown as { moves: string[] }).moves)).toEqual([])
  })
})
