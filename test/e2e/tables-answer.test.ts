import { readFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, type Visitor } from './visitor.ts'

describe('the table of an answer', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let answer: Locator

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    await page.goto('/chat')
    await messageBox(page).waitFor()
    await messageBox(page).fill('/system.processes')
    await page.getByRole('button', { name: 'Send' }).click()
    answer = await lastAnswer(page)
    await grid().waitFor()
  })
  afterAll(() => opened.disposeAsync())

  const grid = (): Locator => answer.getByRole('grid', { name: 'Processes' })
  const button = (name: string | RegExp): Locator => answer.getByRole('button', { name, exact: true })
  const column = (index: number): Promise<string[]> =>
    grid().locator(`[role=gridcell][aria-colindex="${index}"]`).allInnerTexts()
  const heads = (): Promise<string[]> => grid().getByRole('columnheader').allInnerTexts()

  test('is sorted by two columns, from the keyboard alone', async () => {
    await grid().focus()
    await page.keyboard.press('Enter')
    const numbers = async (): Promise<number[]> => (await column(1)).map(Number)
    const sorted = (await numbers()).toSorted((a, b) => a - b)
    await expect.poll(numbers).toEqual(sorted)
    expect(await grid().getByRole('columnheader').first().getAttribute('aria-sort')).toBe('ascending')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press(' ')
    await page.getByRole('menuitem', { name: 'Then sort by this' }).waitFor()
    await visitor.expectAccessible()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })

  test('is filtered by a type of its own, and searched', async () => {
    const all = (await column(1)).length
    await button('Add filter').click()
    const dialog = page.getByRole('dialog', { name: 'Filter rows' })
    await dialog.getByRole('combobox', { name: 'Column' }).selectOption({ index: 0 })
    await dialog.getByRole('combobox', { name: 'Condition' }).selectOption('eq')
    await dialog.getByRole('textbox', { name: 'Value' }).fill('many')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('Enter a number.').waitFor()
    const [first] = await column(1)
    await dialog.getByRole('textbox', { name: 'Value' }).fill(first!)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => column(1)).toEqual([first])
    await visitor.expectAccessible()
    await answer.getByRole('button', { name: /^Remove filter/ }).click()
    await expect.poll(async () => (await column(1)).length).toBe(all)
    await answer.getByRole('searchbox', { name: 'Search rows' }).fill('no such process')
    await answer.getByText('No rows match the search and filters.').waitFor()
    await button('Show all rows').click()
    await expect.poll(async () => (await column(1)).length).toBe(all)
  })

  test('loses a column and gets it back, is pulled wider, and copied', async () => {
    const before = await heads()
    await button('Columns').click()
    await page.getByRole('menuitemcheckbox', { name: before[1]!, exact: true }).click()
    await page.keyboard.press('Escape')
    await expect.poll(heads).not.toContain(before[1])
    await button('Columns').click()
    await page.getByRole('menuitem', { name: 'Show all columns' }).click()
    await expect.poll(heads).toEqual(before)

    const head = grid().getByRole('columnheader').first()
    const box = (await head.boundingBox())!
    await page.mouse.move(box.x + box.width - 2, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width + 38, box.y + 10, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => Math.round((await head.boundingBox())!.width)).toBe(Math.round(box.width) + 40)

    await grid().focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+c')
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await expect
      .poll(async () => (await clipboard()).split('\n').map((line) => line.split('\t').length))
      .toEqual([2, 2])
    expect((await clipboard()).split('\n')[0]!.split('\t')[0]).toBe((await column(1))[0])
    await button('Copy table').click()
    // Columns out of sight are copied as well.
    await expect.poll(async () => (await clipboard()).split('\n')[0]).toMatch(new RegExp(`^${before.join('\t')}`))
  })

  test('shows its raw keys, and becomes a workbook and a picture', async () => {
    const before = await heads()
    await button('Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'Raw keys' }).click()
    await expect.poll(heads).not.toEqual(before)
    expect((await heads()).every((key) => /^[a-z_]+$/.test(key))).toBe(true)
    await button('Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'As given' }).click()
    await expect.poll(heads).toEqual(before)
    await button('Export').click()
    await page.getByRole('menuitem', { name: /^NDJSON/ }).waitFor()
    const [workbook] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^XLSX/ }).click(),
    ])
    expect((await readFile(await workbook.path())).subarray(0, 2).toString()).toBe('PK')
    await button('Show as chart').click()
    await answer.getByRole('img', { name: 'Chart of Processes' }).waitFor()
    await visitor.expectAccessible()
    const [svg] = await Promise.all([page.waitForEvent('download'), button('SVG').click()])
    expect(await readFile(await svg.path(), 'utf8')).toMatch(/^<svg/)
    const [png] = await Promise.all([page.waitForEvent('download'), button('PNG').click()])
    expect((await readFile(await png.path())).subarray(1, 4).toString()).toBe('PNG')
  })

  test('fits a phone, as a grid and as every chart', async () => {
    await page.setViewportSize({ width: 360, height: 780 })
    const fits = (): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= 360)
    for (const kind of ['pie', 'bar', 'scatter', 'line', 'area']) {
      await answer.getByRole('combobox', { name: 'Chart' }).selectOption(kind)
      expect(await fits()).toBe(true)
    }
    await visitor.expectAccessible()
    await answer.getByRole('combobox', { name: 'Chart' }).selectOption('pie')
    const chart = answer.getByRole('img', { name: 'Chart of Processes' })
    const inside = await chart.evaluate((svg: SVGSVGElement) => {
      const { right, bottom } = svg.getBoundingClientRect()
      return [...svg.querySelectorAll('text')].every((text) => {
        const box = text.getBoundingClientRect()
        return box.right <= right + 1 && box.bottom <= bottom + 1
      })
    })
    expect(inside).toBe(true)
    await page.setViewportSize({ width: 1280, height: 800 })
    await answer.getByRole('combobox', { name: 'Chart' }).selectOption('bar')
    await pictures(page, 'answer-chart')
    await button('Show as grid').click()
    await grid().waitFor()
    await page.setViewportSize({ width: 360, height: 780 })
    expect(await fits()).toBe(true)
    await visitor.expectAccessible()
  })
})
