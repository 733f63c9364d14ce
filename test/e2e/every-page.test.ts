import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { DESKTOP, openVisitor, PHONE, type Visitor } from './visitor.ts'

/** English, and the one with the longest words. */
const LANGUAGES = ['en', 'de'] as const
const THEMES = ['light', 'dark'] as const
/** Outside the frame: they are seen without a session. */
const OUTSIDE = ['login', 'setup']
const PAGES = Object.entries(contract.pages)
  .filter(([name]) => !OUTSIDE.includes(name))
  .map(([name, { path }]): [string, string] => [
    name,
    path.replace('{module_name}', 'system').replace('{approval_id}', 'apr_none'),
  ])
  .concat([['module_tools', '/modules/system?tab=tools']])

describe.each(LANGUAGES)('every page in %s', (language) => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  /** What pages of one thing show: a routine, a procedure. */
  let planned = ''
  let procedure = ''
  /** Of the pages that were opened, by path: what they are called, on the page and in the tab of the browser. */
  const named = new Map<string, { heading: string; tab: string }>()

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    await admin.call(contract.accounts.updatePreferences, { body: { language } })
    await admin.call(contract.files.upload, {
      headers: { 'x-file-name': 'orders.csv' },
      body: Buffer.from('order,city,amount\n1,Oslo,20\n2,Bergen,35\n'),
    })
    await admin.call(contract.chat.send, { body: { message: '/system.host' } })
    const { routine } = await admin.call(contract.routines.create, {
      body: {
        name: 'Morning',
        work: { kind: 'text', text: '/system.disks', engine: null },
        scope: ['tool:system.disks'],
        schedule: { cron: '30 7 * * *', zone: 'Europe/Berlin' },
      },
    })
    planned = routine.routine_id
    const { procedure: made } = await admin.call(contract.procedures.addExample, { body: { example: 'disk-full' } })
    procedure = made.procedure_id
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    // The page of a program that asks for access, where none does.
    visitor.expectMessage(/\/api\/oauth\/request\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  test.each(PAGES)('%s is accessible in both themes, and fits a phone', async (name, path) => {
    await page.setViewportSize(DESKTOP)
    const address = path.replace('{routine_id}', planned).replace('{procedure_id}', procedure)
    const answered = await page.goto(address)
    expect(answered?.status()).toBe(200)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe(language)
    // What the page asks the service for has come. The stream of events never ends, so the network is never idle.
    await expect.poll(() => page.locator('.animate-skeleton, [role=progressbar]').count()).toBe(0)
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      // Colours and roles are the same in every language; only what has room is not.
      if (language === 'en') await visitor.expectAccessible()
      await screenshot(page, `page-${name}-${language}-${colorScheme}`)
    }
    expect(await scrollersBesideThePage(page)).toEqual([])
    await page.setViewportSize(PHONE)
    expect(await widerThanThePage(page)).toEqual([])
    expect(await scrollersBesideThePage(page)).toEqual([])
    await visitor.expectAccessible()
    named.set(path, { heading: await titleOf(page), tab: await page.title() })
  })

  test('an address that no page of the administration has is told within the frame', async () => {
    await page.setViewportSize(PHONE)
    visitor.expectMessage(/\/admin\/nothing\b/)
    await page.goto('/admin/nothing')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('main').count()).toBe(1)
    expect(await widerThanThePage(page)).toEqual([])
    expect(await scrollersBesideThePage(page)).toEqual([])
    await visitor.expectAccessible()
  })

  test('every entry of the menus is named as its page', async () => {
    await page.setViewportSize(DESKTOP)
    await page.goto('/')
    const menu = page.locator('header nav a')
    for (const [name, path] of await entriesOf(menu)) {
      if (path !== '/chat' && path !== '/admin' && path !== '/help') {
        await expectNamed(name, path)
        continue
      }
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      if (path === '/chat') {
        await expect.poll(() => page.title()).toBe(`${await titleOf(page)} · Reeve`)
        continue
      }
      // An area of several pages, of which the first is shown: the tabs are the entries of its menu.
      const tabs = page.locator('main nav').first()
      expect(await tabs.getAttribute('aria-label')).toBe(name)
      const pages = await entriesOf(tabs.getByRole('link'))
      expect(pages.length).toBeGreaterThan(4)
      for (const [tab, address] of pages) await expectNamed(tab, address)
    }
    await page.goto('/account')
    const own = await titleOf(page)
    await page.locator('header [aria-haspopup=menu]').click()
    await page.getByRole('menuitem', { name: own, exact: true }).waitFor()
  })

  async function expectNamed(name: string, path: string): Promise<void> {
    const before = named.get(path)
    if (before) return expect(before).toEqual({ heading: name, tab: `${name} · Reeve` })
    await page.goto(path)
    await expect.poll(() => titleOf(page)).toBe(name)
    expect(await page.title()).toBe(`${name} · Reeve`)
  }
})

/** Names and addresses. */
function entriesOf(links: Locator): Promise<[string, string][]> {
  return links.evaluateAll((all) =>
    all.map((link): [string, string] => [link.textContent.trim(), link.getAttribute('href') ?? '']),
  )
}

async function titleOf(page: Page): Promise<string> {
  return page.getByRole('heading', { level: 1 }).first().innerText()
}

/**
 * The boxes around the title that are wider inside than outside: the page would scroll sideways. A table scrolls by itself,
 * and no title stands in it. Each with the element that reaches furthest.
 */
async function widerThanThePage(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide: string[] = []
    for (let box: Element | null = document.querySelector('h1'); box; box = box.parentElement) {
      if (box.scrollWidth <= box.clientWidth || box.tagName === 'H1') continue
      const furthest = [...box.querySelectorAll('*')].toSorted(
        (one, other) => other.getBoundingClientRect().right - one.getBoundingClientRect().right,
      )[0]
      wide.push(`${box.tagName} ${box.scrollWidth} > ${box.clientWidth}: ${furthest?.outerHTML.slice(0, 160)}`)
    }
    return wide
  })
}

/**
 * What scrolls up and down besides the page: a second scroller as high as half of the window, of which one never knows
 * which of them the wheel will move; a strip of tabs with a scroll bar across its end; or the window itself, around all.
 */
async function scrollersBesideThePage(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll('*')].filter((box) => {
      const { overflowY } = getComputedStyle(box)
      const scrolls = (overflowY === 'auto' || overflowY === 'scroll') && box.scrollHeight > box.clientHeight + 1
      return scrolls && box.checkVisibility()
    })
    const pages = all.filter((box) => box.clientHeight > innerHeight / 2 && box.clientWidth > innerWidth / 2)
    const strips = all.filter((box) => box.clientHeight < 64 && !(box instanceof HTMLTextAreaElement))
    const window = document.documentElement
    const around = pages.length > 0 && window.scrollHeight > window.clientHeight ? [window] : []
    return [...pages.slice(1), ...strips, ...around].map((box) => box.outerHTML.slice(0, 160))
  })
}
