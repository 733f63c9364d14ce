import { readFile } from 'node:fs/promises'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { gate, startScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, openVisitor, say, type Visitor } from './visitor.ts'

const SERVICES = [
  ['`postgresql`', '9', '1.2 GB', 'The **database**; see [its manual](https://example.org/manual)'],
  ['`nginx`', '10', '300 MB', 'Serves pages'],
  ['`redis`', '2', '64 MB', 'Keeps sessions, and forgets them when it is restarted, which signs everybody out'],
  ['`cron`', '1', '4 MB', 'Starts jobs'],
  ['`sshd`', '3', '12 MB', 'Lets people in'],
  ['`backup`', '0', '0 B', 'Runs at night'],
  ['`mail`', '104', '1.5 GB', 'Delivers mail'],
]
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
const HEAD = line(['Service', 'Connections', 'Memory', 'What it does'])
const halfway = gate()
const headOnly = gate()

const hostile = [
  'Many rows:\n',
  `${line(['n', 'Square'])}|---|---|\n${Array.from({ length: 10_000 }, (_, n) => line([`${n}`, `${n * n}`])).join('')}`,
  'Many columns:\n',
  `${line(Array.from({ length: 500 }, (_, n) => `c${n}`))}|${'---|'.repeat(500)}\n${line(Array.from({ length: 500 }, (_, n) => `${n}`))}`,
  'Odd rows:\n',
  '| | same | same |\n|---|---|---|\n| 1 |\n| 2 | b | c | d |\n| `a \\| b` | <img src=x onerror="window.harmed = 1"> | [x](javascript:alert(1)) |\n| مرحبا بالعالم | שלום | ok |\n| = | =HYPERLINK("x") | __proto__ |\n| 6 | | |\n',
  'The end.',
].join('\n')

describe('tables that a model writes', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor

  beforeAll(async () => {
    const scripts: Record<string, ScriptedStep[]> = {
      services: [
        { text: `## Services\n\n${HEAD.slice(0, 20)}` },
        { wait: headOnly },
        { text: `${HEAD.slice(20)}|---|--:|--:|---|\n${SERVICES.slice(0, 6).map(line).join('')}| \`ma` },
        { wait: halfway },
        { text: `${line(SERVICES[6]!).slice(5)}\nAll of them run.` },
      ],
      small: [
        { text: `Two of them:\n\n${HEAD}|---|--:|--:|---|\n${SERVICES.slice(0, 2).map(line).join('')}\nThat is all.` },
      ],
      hostile: [{ text: hostile }],
    }
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        return scripts[Object.keys(scripts).find((word) => question.includes(word)) ?? ''] ?? [{ text: 'Understood.' }]
      }),
    )
    app = opened.use(await startTestApp({ model }))
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    await visitor.page.goto('/chat')
  })
  afterAll(() => opened.disposeAsync())

  const column = (grid: Locator, index: number): Promise<string[]> =>
    grid.locator(`[role=gridcell][aria-colindex="${index}"]`).allInnerTexts()

  test('is a table from its first words, and does not jump when it is complete', async () => {
    const { page } = visitor
    await say(page, 'Which services are there?')
    await headOnly.reached
    const answer = page.getByRole('article', { name: 'Answer' }).last()
    await answer.getByRole('columnheader', { name: 'Service' }).waitFor()
    headOnly.open()
    await halfway.reached
    const grid = answer.getByRole('grid', { name: 'Services' })
    await grid.getByRole('gridcell', { name: 'ma', exact: true }).waitFor()
    const places = (): Promise<number[][]> =>
      grid
        .locator('[role=row]')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.children]
              .map((cell) => cell.getBoundingClientRect())
              .flatMap(({ width, height }) => [width, height]),
          ),
        )
    const before = await places()
    const element = await grid.elementHandle()
    halfway.open()
    await lastAnswer(page)
    await answer.getByText('All of them run.').waitFor()
    expect(await places()).toEqual(before)
    expect(await element.evaluate((old) => old.isConnected)).toBe(true)
  })

  test('sorts by value, keeps links, and becomes a workbook with values', async () => {
    const { page } = visitor
    const answer = await lastAnswer(page)
    const grid = answer.getByRole('grid', { name: 'Services' })
    await grid.getByRole('columnheader', { name: 'Connections' }).getByRole('button').first().click()
    await expect.poll(() => column(grid, 2)).toEqual(['0', '1', '2', '3', '9', '10', '104'])
    await grid.getByRole('columnheader', { name: 'Memory' }).getByRole('button').first().click()
    await expect.poll(() => column(grid, 3)).toEqual(['0 B', '4 MB', '12 MB', '64 MB', '300 MB', '1.2 GB', '1.5 GB'])
    expect(await grid.getByRole('link', { name: 'its manual' }).getAttribute('href')).toBe('https://example.org/manual')
    await visitor.expectAccessible()
    await pictures(page, 'written-table')
    await answer.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ])
    expect(file.suggestedFilename()).toBe('Services.csv')
    expect((await readFile(await file.path(), 'utf8')).replace('\uFEFF', '').split('\r\n')[1]).toBe(
      'backup,0,0,Runs at night',
    )
    await answer.getByRole('button', { name: 'Show as chart' }).click()
    await answer.getByRole('img', { name: 'Chart of Services' }).waitFor()
    await answer.getByRole('button', { name: 'Show as grid' }).click()
    await grid.waitFor()
  })

  test('a small one stays quiet, with its tools where it is pointed at or focused', async () => {
    const { page } = visitor
    await say(page, 'Only a small table')
    const answer = await lastAnswer(page)
    const table = answer.getByRole('group', { name: 'Table' })
    await table.waitFor()
    expect(await answer.getByRole('grid').count()).toBe(0)
    const tools = answer.getByRole('button', { name: 'Copy table' })
    const opacity = (): Promise<string> =>
      tools.evaluate((button) => {
        let least = 1
        for (let one: Element | null = button; one; one = one.parentElement)
          least = Math.min(least, Number(getComputedStyle(one).opacity))
        return String(least)
      })
    await page.mouse.move(0, 0)
    await expect.poll(opacity).toBe('0')
    await pictures(page, 'written-table-small')
    await table.focus()
    await expect.poll(opacity).toBe('1')
    await visitor.expectAccessible()
    await tools.click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^Service\tConnections\tMemory\tWhat it does\npostgresql\t9\t1200000000\t/)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      answer
        .getByRole('button', { name: 'Export' })
        .click()
        .then(() => page.getByRole('menuitem', { name: /^XLSX/ }).click()),
    ])
    expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe('PK')
    await answer.getByRole('button', { name: 'Show as grid' }).click()
    const grid = answer.getByRole('grid', { name: 'Table' })
    expect(await column(grid, 1)).toEqual(['postgresql', 'nginx'])
    await expect.poll(() => grid.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('hostile ones are bounded, and nothing in them acts', async () => {
    const { page } = visitor
    await say(page, 'Something hostile')
    const answer = await lastAnswer(page)
    await answer.getByText('The end.').waitFor()
    const [rows, columns, odd] = [0, 1, 2].map((at) => answer.getByRole('grid').nth(at))
    await odd!.waitFor()
    expect(await rows!.getAttribute('aria-rowcount')).toBe('10001')
    expect(await columns!.getAttribute('aria-colcount')).toBe('500')
    expect(await answer.locator('[role=gridcell]').count()).toBeLessThan(500)
    expect(await column(odd!, 1)).toEqual(['1', '2', 'a | b', 'مرحبا بالعالم', '=', '6'])
    expect(await odd!.getByRole('columnheader').allInnerTexts()).toEqual(['Column 1', 'same', 'same'])
    expect(await odd!.locator('img, a').count()).toBe(0)
    expect(await page.evaluate(() => (window as { harmed?: number }).harmed)).toBeUndefined()
    await page.setViewportSize({ width: 360, height: 780 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await visitor.expectAccessible()
  })
})
