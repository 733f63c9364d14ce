import { readFile } from 'node:fs/promises'
import type { Browser, Download, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { PNG } from '../stage/modules/module-bundles.ts'
import { pictures } from './pictures.ts'
import { DESKTOP, openVisitor, PHONE, type Visitor } from './visitor.ts'

const ROWS = 2500
const CITIES = ['Łódź', 'São Paulo', 'Αθήνα', 'Zürich', 'New York']
/** Order 7 of 2,500 has the largest amount. */
const CSV = [
  'order_id,city,booked_on,amount,remark',
  ...Array.from({ length: ROWS }, (_, index) => {
    const id = String(index + 1).padStart(6, '0')
    const day = new Date(Date.UTC(2026, 0, 1) + (index % 300) * 86_400_000).toISOString().slice(0, 10)
    const amount = index === 6 ? '99999.5' : ((index * 37) % 9000) + 0.25
    return `${id},${CITIES[index % 5]},${day},${amount},${index % 50 === 0 ? '"=cmd, ""quoted"""' : ''}`
  }),
].join('\n')

describe('stored files: upload, search, look, sort, filter, export, delete, undo', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    admin = await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
  const file = (name: string): Locator => page.getByRole('navigation', { name: 'Files' }).getByRole('link', { name })
  const grid = (): Locator => page.getByRole('grid', { name: 'orders.csv' })
  const cell = (row: number, column: number): Locator =>
    grid().locator(`[aria-rowindex="${row + 2}"] [aria-colindex="${column + 1}"]`)
  const count = (text: string): Promise<void> => page.getByRole('status').getByText(text, { exact: true }).waitFor()
  async function saved(press: () => Promise<void>): Promise<Download> {
    const download = page.waitForEvent('download')
    await press()
    return download
  }
  /** Two texts or more below the axis, none over its neighbour, all in the picture. */
  const isApart = (chart: Locator): Promise<boolean> =>
    chart.evaluate((svg) => {
      const own = svg.getBoundingClientRect()
      const boxes = [...svg.querySelectorAll('[data-tick=x]')].map((text) => text.getBoundingClientRect())
      return (
        own.right <= innerWidth &&
        boxes.length > 1 &&
        boxes.every((box, at) => box.left >= (boxes[at - 1]?.right ?? own.left) && box.right <= own.right + 1)
      )
    })
  async function upload(...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
    const chooser = page.waitForEvent('filechooser')
    await button('Upload files').first().click()
    await (await chooser).setFiles(files)
  }

  test('an empty page says what it is for, and takes files', async () => {
    await page.getByRole('link', { name: 'Files', exact: true }).first().click()
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    await visitor.expectAccessible()
    await upload(
      { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Remember the milk.\n') },
      { name: 'dot.png', mimeType: 'image/png', buffer: PNG },
    )
    await file('orders.csv').waitFor()
    await file('notes.txt').waitFor()
    await file('dot.png').waitFor()
    await page.getByText(/ of .+ used · /).waitFor()
    expect(await page.getByRole('list', { name: 'Uploads' }).count()).toBe(0)
    await visitor.expectAccessible()
  })

  test('a search by words and by kind', async () => {
    await page.getByRole('searchbox', { name: 'Search files' }).fill('NOTE')
    await file('orders.csv').waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search files' }).fill('nothing like it')
    await button('Clear filters').click()
    await count('3 entries')
    await page.getByRole('searchbox', { name: 'Search files' }).fill('nothing like it')
    await page.getByText('No matching files').waitFor()
    await page.keyboard.press('Escape')
    await count('3 entries')
    await page.getByRole('combobox', { name: 'Type' }).selectOption('image')
    await file('orders.csv').waitFor({ state: 'detached' })
    await file('dot.png').click()
    await page.getByRole('img', { name: 'dot.png' }).waitFor()
    await visitor.expectAccessible()
    await page.getByRole('combobox', { name: 'Type' }).selectOption('')
    await file('notes.txt').click()
    await page.getByText('Remember the milk.').waitFor()
    expect(new URL(page.url()).searchParams.get('f')).toMatch(/^fil_/)
  })

  test('a table is a grid: sorted by a header', async () => {
    await file('orders.csv').click()
    await grid().waitFor()
    await count('2,500 rows')
    expect(await cell(0, 0).textContent()).toBe('000001')
    await visitor.expectAccessible()
    const amount = grid().getByRole('columnheader', { name: 'amount' })
    await amount.getByRole('button', { name: 'amount', exact: true }).click()
    await grid().and(page.locator('[aria-busy=false]')).waitFor()
    await amount.getByRole('button', { name: 'amount', exact: true }).click()
    await expect.poll(() => cell(0, 3).textContent()).toBe('99999.5')
    expect(await amount.getAttribute('aria-sort')).toBe('descending')
  })

  test('filtered by chips, and searched', async () => {
    await button('Add filter').click()
    const dialog = page.getByRole('dialog', { name: 'Filter rows' })
    await dialog.getByRole('combobox', { name: 'Column' }).selectOption('city')
    await dialog.getByRole('combobox', { name: 'Condition' }).selectOption('eq')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('Enter a value.').waitFor()
    await visitor.expectAccessible()
    await dialog.getByRole('textbox', { name: 'Value' }).fill('Αθήνα')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await button('city is Αθήνα').waitFor()
    await count('500 of 2,500 rows')
    await visitor.expectAccessible()
    await pictures(page, 'files')
    await button('Remove filter city is Αθήνα').click()
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('000123')
    await expect.poll(() => cell(0, 0).textContent()).toBe('000123')
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('')
    await count('2,500 rows')
  })

  test('the keys walk it to the last row, and copy what is marked', async () => {
    await grid().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+c')
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(clipboard).toBe('000007')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+c')
    await expect.poll(clipboard).toBe('000007\tSão Paulo')
    await page.keyboard.press('Control+End')
    await cell(ROWS - 1, 4).waitFor()
    await expect.poll(() => cell(ROWS - 1, 0).textContent()).toMatch(/^\d{6}$/)
    const active = await grid().getAttribute('aria-activedescendant')
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-colindex')).toBe('5')
    await visitor.expectAccessible()
  })

  test('columns are hidden, and named so that people can read them', async () => {
    await grid().getByRole('columnheader', { name: 'remark' }).hover()
    await button('More for column remark').click()
    await page.getByRole('menuitem', { name: 'Hide' }).click()
    await grid().getByRole('columnheader', { name: 'remark' }).waitFor({ state: 'detached' })
    await button('Columns').click()
    await visitor.expectAccessible()
    await page.getByRole('menuitemcheckbox', { name: 'Readable' }).click()
    await grid().getByRole('columnheader', { name: 'Booked on' }).waitFor()
    expect(await grid().getAttribute('aria-colcount')).toBe('4')
  })

  test('an export is a workbook, and a chart is a picture', async () => {
    await button('Export').click()
    const workbook = await saved(() => page.getByRole('menuitem', { name: /^XLSX/ }).first().click())
    expect(workbook.suggestedFilename()).toMatch(/orders.*\.xlsx$/)
    expect((await readFile(await workbook.path())).subarray(0, 2).toString()).toBe('PK')
    await button('Show as chart').click()
    await page.getByRole('img', { name: 'Chart of orders.csv' }).waitFor()
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('bar')
    await page.getByRole('combobox', { name: 'Horizontal axis' }).selectOption('city')
    // All 2,500 rows: the cities are all there, with the sums of 500 each.
    await page.getByRole('img', { name: 'Chart of orders.csv' }).locator('rect').nth(4).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'table-chart')
    const svg = await saved(() => button('SVG').click())
    const drawn = await readFile(await svg.path(), 'utf8')
    expect(drawn).toContain('Zürich')
    expect(drawn).not.toContain('var(')
    const png = await saved(() => button('PNG').click())
    expect((await readFile(await png.path())).subarray(1, 4).toString()).toBe('PNG')
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('pie')
    await page.getByRole('img', { name: 'Chart of orders.csv' }).locator('text', { hasText: 'Αθήνα: ' }).waitFor()
    await button('Show as grid').click()
    await grid().waitFor()
  })

  test('a chart along time draws the peak of all rows, and its texts never overlap', async () => {
    await button('Show as chart').click()
    const chart = page.getByRole('img', { name: 'Chart of orders.csv' })
    await chart.waitFor()
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('line')
    await page.getByRole('combobox', { name: 'Horizontal axis' }).selectOption('booked_on')
    await page.getByText(/ of 2,500 points are drawn/).waitFor()
    // The line reaches the row with the largest amount, the only one beyond the others.
    const top = await chart.locator('polyline').evaluate((line: SVGPolylineElement) => {
      const heights = [...line.points].map(({ y }) => y)
      return heights.filter((y) => y < Math.min(...heights) + 100).length
    })
    expect(top).toBe(1)
    for (const view of [PHONE, DESKTOP]) {
      await page.setViewportSize(view)
      await expect.poll(() => isApart(chart)).toBe(true)
    }
    await visitor.expectAccessible()
    await pictures(page, 'table-chart-time')
    await button('Show as grid').click()
    await grid().waitFor()
  })

  test.each(['de', 'ja', 'ru'])('the texts of a time axis are apart in %s', async (language) => {
    const texts = JSON.parse(await readFile(`web/locales/${language}.json`, 'utf8')) as Record<string, string>
    const choice = (key: string): Locator => page.getByRole('combobox', { name: texts[key]!, exact: true })
    await admin.call(contract.accounts.updatePreferences, { body: { language } })
    await page.reload()
    await button(texts['tables.show_chart']!).click()
    await choice('tables.chart_kind').selectOption('line')
    await choice('tables.chart_x').selectOption('booked_on')
    await page.locator('main svg polyline').waitFor()
    const chart = page.locator('main svg[role=img]')
    for (const view of [PHONE, DESKTOP]) {
      await page.setViewportSize(view)
      await expect.poll(() => isApart(chart)).toBe(true)
    }
    await admin.call(contract.accounts.updatePreferences, { body: { language: 'en' } })
    await page.reload()
    await grid().waitFor()
  })

  test('a deleted file comes back by undo, and later from the list of deleted ones', async () => {
    await button('Delete orders.csv').click()
    await file('orders.csv').waitFor({ state: 'detached' })
    await button('Undo').click()
    await file('orders.csv').waitFor()
    await file('notes.txt').click()
    await button('Delete notes.txt').click()
    await file('notes.txt').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Type' }).selectOption('deleted')
    await button('Restore notes.txt').click()
    await page.getByRole('heading', { name: 'No deleted files' }).waitFor()
    await button('Show all files').click()
    await file('notes.txt').waitFor()
    expect(await file('orders.csv').count()).toBe(1)
    await visitor.expectAccessible()
  })

  test('on a phone, in the dark: the list leads to the file and back', async () => {
    await using phone = await openVisitor(browser, app.url, { phone: true, dark: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.signIn('admin')
    await phone.page.goto('/files')
    await phone.page.getByRole('link', { name: /orders\.csv/ }).click()
    await phone.page.getByRole('grid', { name: 'orders.csv' }).waitFor()
    await phone.expectAccessible()
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await phone.page.getByRole('button', { name: 'Back', exact: true }).click()
    await phone.page.getByRole('link', { name: /notes\.txt/ }).waitFor()
    await phone.expectAccessible()
  })
})
