import { statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { startProcess } from '../stage/process.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, openVisitor, type Visitor } from './visitor.ts'

/** What a new person may need at most, from the link to the answer. */
const MOST = 6

interface Deeds {
  /** Of the pointer. */
  clicks: number
  /** Presses of Enter, wherever. */
  enters: number
}

/** Counts what is done in the page, through every navigation. */
async function countDeeds({ context }: Visitor): Promise<Deeds> {
  const deeds: Deeds = { clicks: 0, enters: 0 }
  await context.exposeBinding('countDeed', (_source, deed: keyof Deeds) => deeds[deed]++)
  await context.addInitScript(() => {
    const count = (deed: string): void => (window as unknown as { countDeed(deed: string): void }).countDeed(deed)
    // A click that a key makes has no detail.
    window.addEventListener('click', (event) => event.isTrusted && event.detail > 0 && count('clicks'), true)
    window.addEventListener('keydown', (event) => event.isTrusted && event.key === 'Enter' && count('enters'), true)
  })
  return deeds
}

/** How full the root file system is, in percent: as the table says it, and as the machine does. */
async function rootUse(page: Page): Promise<{ shown: number; real: number }> {
  const table = (await lastAnswer(page)).getByRole('grid', { name: 'File systems' })
  const path = page.getByRole('gridcell', { name: '/', exact: true })
  const use = table.getByRole('row').filter({ has: path }).getByRole('gridcell').nth(1)
  const { blocks, bfree, bavail } = statfsSync('/')
  return { shown: Number.parseFloat(await use.innerText()), real: (100 * (blocks - bfree)) / (blocks - bfree + bavail) }
}

describe('from the link that a fresh installation prints to the first useful answer', () => {
  const opened = new AsyncDisposableStack()
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  test('with the pointer', async () => {
    await using server = await startProcess()
    await using visitor = await openVisitor(browser, server.url)
    const { page } = visitor
    const deeds = await countDeeds(visitor)
    await page.goto(server.setupLink ?? '')
    // The first field has the focus.
    await page.getByRole('textbox', { name: 'Username' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('maria')
    await page.getByLabel('Password', { exact: true }).click()
    await page.keyboard.type(PASSWORD)
    await page.getByRole('button', { name: 'Create administrator' }).click()
    await page.getByRole('button', { name: /^Fullest disk/ }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    const { shown, real } = await rootUse(page)
    expect(Math.abs(shown - real)).toBeLessThan(2)
    expect(await (await lastAnswer(page)).innerText()).toMatch(/The fullest is \/|90 % full or more: \//)
    expect(deeds).toEqual({ clicks: 4, enters: 0 })
    expect(deeds.clicks + deeds.enters).toBeLessThanOrEqual(MOST)
    await visitor.expectAccessible()
  })

  test('by keyboard alone', async () => {
    await using server = await startProcess()
    await using visitor = await openVisitor(browser, server.url)
    const { page } = visitor
    const deeds = await countDeeds(visitor)
    await page.goto(server.setupLink ?? '')
    await page.getByRole('textbox', { name: 'Username' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('maria')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('memory')
    await page.getByRole('option', { selected: true }).filter({ hasText: '/system.memory' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Memory takes no arguments. Enter runs it.').waitFor()
    await page.keyboard.press('Enter')
    const answer = await lastAnswer(page)
    const memory = answer.getByRole('row').filter({ has: page.getByRole('gridcell', { name: 'Memory', exact: true }) })
    const shown = Number.parseFloat(await memory.getByRole('gridcell').nth(1).innerText())
    expect(Math.abs(shown - totalmem() / 1024 ** 3)).toBeLessThan(0.1)
    expect(deeds).toEqual({ clicks: 0, enters: 3 })
    expect(deeds.clicks + deeds.enters).toBeLessThanOrEqual(MOST)
    await visitor.expectAccessible()
    await pictures(page, 'first-answer')
  })
})
