import type { Browser, Download, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { pdf, xlsx } from '../stage/documents/document-samples.ts'
import { pictures } from './pictures.ts'
import { openVisitor, type Visitor } from './visitor.ts'

const BOOK = xlsx({
  Income: [
    ['Month', 'Amount'],
    ['January', '1200'],
    ['February', '1300'],
  ],
  Costs: [
    ['Item', 'Cost'],
    ['Rent', '700'],
    ['Food', '300'],
    ['Light', '45'],
  ],
})
const LARGE_ROWS = 100_000
const LARGE = [
  'number,host_name,load',
  ...Array.from({ length: LARGE_ROWS }, (_, index) => `${index},host ${index % 977},${(index * 7) % 100}`),
].join('\n')

describe('tables of stored files: sheets, large ones, exports that are stopped, what cannot be shown', () => {
  const opened = new AsyncDisposableStack()
  const ids = new Map<string, string>()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  async function upload(client: TestClient, name: string, body: Buffer | string): Promise<string> {
    const headers = { 'x-file-name': encodeURIComponent(name) }
    return (await client.call(contract.files.upload, { headers, body: Buffer.from(body) })).file.file_id
  }
  const open = (name: string, shown = page): Promise<unknown> => shown.goto(`/files?f=${ids.get(name)}`)
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
  const exportAs = async (format: RegExp, place = 0): Promise<void> => {
    await button('Export').click()
    await page.getByRole('menuitem', { name: format }).nth(place).click()
  }
  const grid = (name: string): Locator => page.getByRole('grid', { name, exact: true })
  const cell = (name: string, row: number, column: number): Locator =>
    grid(name).locator(`[aria-rowindex="${row + 2}"] [aria-colindex="${column + 1}"]`)
  const count = (text: string): Promise<void> => page.getByRole('status').getByText(text, { exact: true }).waitFor()

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    for (const [name, body] of [
      ['budget.xlsx', BOOK],
      ['large.csv', LARGE],
      ['handbook.pdf', pdf(['The first page', 'The second page'])],
      ['damaged.xlsx', BOOK.subarray(0, 700)],
      ['ragged.csv', 'a,b,c\n1,2\n3,4,5,6\n'],
      ['nothing.csv', 'a,b\n'],
      ['program.bin', Buffer.alloc(100, 7)],
    ] as const)
      ids.set(name, await upload(admin, name, body))
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  test('the first rows of a large table come while it is read, and the rest follows', async () => {
    const held = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/table?*', async (route) => {
      if (asked++ > 0) await held.promise
      await route.continue()
    })
    await open('large.csv')
    await page.getByText('The file is still being read.').waitFor()
    await count('The first 100 rows')
    await visitor.expectAccessible()
    await pictures(page, 'table-reading')
    held.resolve()
    await count('100,000 rows')
    await page.getByText('The file is still being read.').waitFor({ state: 'detached' })
    await grid('large.csv').focus()
    await page.keyboard.press('Control+End')
    await expect.poll(() => cell('large.csv', LARGE_ROWS - 1, 0).textContent()).toBe(String(LARGE_ROWS - 1))
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('an export shows how much has come, is stopped, and leaves nothing behind', async () => {
    await page.route('**/api/chat/tables/export', async (route) => {
      // The line to this browser is slow; the workbook is the service's own.
      const session = await visitor.context.newCDPSession(page)
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: 50_000,
        uploadThroughput: -1,
      })
      await route.continue()
    })
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    await exportAs(/^XLSX/)
    await page.getByText(/^Exporting [1-9]/).waitFor()
    expect(await button('Export').isDisabled()).toBe(true)
    await visitor.expectAccessible()
    await button('Cancel').click()
    await page.getByText(/^Exporting/).waitFor({ state: 'detached' })
    expect(await button('Export').isEnabled()).toBe(true)
    expect(downloads).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('sheets are tabs, by pointer and keys; an export goes on when another one is chosen', async () => {
    const calm = await visitor.context.newCDPSession(page)
    await calm.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
    await open('budget.xlsx')
    await grid('budget.xlsx · Income').waitFor()
    await count('2 rows')
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('Jan')
    await count('1 of 2 rows')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/chat/tables/export', async (route) => {
      await held.promise
      await route.continue()
    })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await exportAs(/^XLSX/)
        await page.getByRole('progressbar', { name: 'Exporting' }).waitFor()
        await page.getByRole('tab', { name: 'Costs' }).click()
        await grid('budget.xlsx · Costs').waitFor()
        await page.getByRole('progressbar', { name: 'Exporting' }).waitFor()
        held.resolve()
      })(),
    ])
    expect(download.suggestedFilename()).toBe('budget.xlsx Income.xlsx')
    await page.unrouteAll({ behavior: 'wait' })
    const [archive] = await Promise.all([page.waitForEvent('download'), exportAs(/^CSV/, 1)])
    expect(archive.suggestedFilename()).toBe('budget.zip')
    // The search belonged to the other sheet.
    await count('3 rows')
    expect(await page.getByRole('searchbox', { name: 'Search rows' }).inputValue()).toBe('')
    await visitor.expectAccessible()
    await pictures(page, 'table-sheets')
    await page.getByRole('tab', { name: 'Costs' }).focus()
    await page.keyboard.press('ArrowLeft')
    const income = page.getByRole('tab', { name: 'Income' })
    await expect.poll(() => income.evaluate((tab) => tab === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await grid('budget.xlsx · Income').waitFor()
    await count('2 rows')
  })

  test('how many rows there are in all is known as long as the table is open', async () => {
    await page.clock.install()
    await open('large.csv')
    await count('100,000 rows')
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('host 976')
    await page.clock.runFor(300)
    await count('102 of 100,000 rows')
    // The page without the search is forgotten by then.
    await page.clock.runFor(120_000)
    await button('Wrap text').click()
    await count('102 of 100,000 rows')
    expect(await cell('large.csv', 0, 1).textContent()).toBe('host 976')
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('no such host')
    await page.clock.runFor(300)
    await page.getByText('No rows match the search and filters.').waitFor()
    await button('Show all rows').click()
    await page.clock.runFor(300)
    await count('100,000 rows')
    await page.clock.resume()
  })

  test('columns: pulled wider, fitted by two clicks, several hidden at once, labels that keep the raw key', async () => {
    const head = grid('large.csv').getByRole('columnheader', { name: 'host_name' })
    const width = async (): Promise<number> => Math.round((await head.boundingBox())!.width)
    const before = await width()
    const box = (await head.boundingBox())!
    await page.mouse.move(box.x + box.width - 2, box.y + 15)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width + 98, box.y + 15, { steps: 5 })
    await page.mouse.up()
    await expect.poll(width).toBe(before + 100)
    await page.mouse.move(box.x + 400, box.y + 200)
    expect(await width()).toBe(before + 100)
    await page.mouse.dblclick(box.x + box.width + 98, box.y + 15)
    await expect.poll(width).toBe(before)
    await grid('large.csv').focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(width).toBe(before + 16)

    await button('Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'load' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'number' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => grid('large.csv').getAttribute('aria-colcount')).toBe('1')
    await button('Columns').click()
    await page.getByRole('menuitem', { name: 'Show all columns' }).click()
    await expect.poll(() => grid('large.csv').getAttribute('aria-colcount')).toBe('3')

    await button('Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'Readable' }).click()
    const readable = grid('large.csv').getByRole('columnheader', { name: 'Host name' })
    expect(await readable.getByRole('button').first().getAttribute('title')).toBe('Host name (host_name)')
    await readable.hover()
    await button('More for column Host name').click()
    await page.getByRole('menu').getByText('host_name · Text').waitFor()
    await visitor.expectAccessible()
    await page.keyboard.press('Escape')
  })

  test('a PDF is shown by the viewer of the browser, or opened apart where there is none', async () => {
    // The viewer is an extension of the browser, and a bare one has none.
    visitor.expectForeign('null')
    if (await page.evaluate(() => navigator.pdfViewerEnabled)) {
      await open('handbook.pdf')
      const frame = page.locator('iframe[title="handbook.pdf"]')
      await frame.waitFor()
      expect(await frame.getAttribute('src')).toBe(`/api/files/${ids.get('handbook.pdf')}/preview`)
      await expect.poll(() => page.frames().some((one) => one.url().endsWith('/preview'))).toBe(true)
      await visitor.expectAccessible()
    }
    await using phone = await openVisitor(browser, app.url, { phone: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.context.addInitScript(() => Object.defineProperty(navigator, 'pdfViewerEnabled', { value: false }))
    await phone.signIn('admin')
    await open('handbook.pdf', phone.page)
    await phone.page.getByRole('heading', { name: 'This browser cannot display PDF files inside a page' }).waitFor()
    await phone.expectAccessible()
    expect(await phone.page.getByRole('link', { name: 'Open in a new tab' }).getAttribute('href')).toMatch(/preview$/)
  })

  test('what cannot be shown says why, what to do, and leads back', async () => {
    visitor.expectMessage(/\/api\/files\/[^ ]+/)
    await open('damaged.xlsx')
    const trouble = page.getByRole('alert').filter({ hasText: 'The table could not be read' })
    await trouble.getByText('download it to open it in another program').waitFor()
    expect(await trouble.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await visitor.expectAccessible()
    await open('nothing.csv')
    await page.getByText('The table has no rows.').waitFor()
    await open('ragged.csv')
    await page.getByRole('status').filter({ hasText: 'more cells' }).waitFor()
    await visitor.expectAccessible()
    await open('program.bin')
    await page.getByRole('heading', { name: 'No preview for this type of file' }).waitFor()
    await page.setViewportSize({ width: 360, height: 780 })
    await page.goto('/files?f=fil_none')
    await page.getByRole('alert').filter({ hasText: 'The file could not be opened' }).waitFor()
    await visitor.expectAccessible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await button('Back').click()
    await page.getByRole('link', { name: /budget\.xlsx/ }).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a server that fails once is asked again by a click', async () => {
    await page.route('**/table?*', (route) => route.abort('connectionfailed'))
    visitor.expectMessage(/ERR_CONNECTION_FAILED/)
    await open('budget.xlsx')
    const trouble = page.getByRole('alert').filter({ hasText: 'The table could not be read' })
    await trouble.waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await trouble.getByRole('button', { name: 'Try again' }).click()
    await grid('budget.xlsx · Income').waitFor()
    // Another sheet that does not come is not taken for the one that was there.
    await page.route('**/table?*', (route) => route.abort('connectionfailed'))
    await page.getByRole('tab', { name: 'Costs' }).click()
    await trouble.waitFor()
    expect(await page.getByRole('grid').count()).toBe(0)
    await page.unrouteAll({ behavior: 'wait' })
    await trouble.getByRole('button', { name: 'Try again' }).click()
    await grid('budget.xlsx · Costs').waitFor()
  })
})
