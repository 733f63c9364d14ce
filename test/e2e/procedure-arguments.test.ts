import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import type { Draft, ProcedureDetail } from '../../contract/procedure-values.ts'
import { openBrowser } from '../stage/browser.ts'
import { benchModule } from '../stage/procedures/bench-module.ts'
import {
  draftOf,
  MACHINE,
  openProceduresStage,
  type ProceduresStage,
  step,
} from '../stage/procedures/procedures-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, openVisitor, tabTo, type Visitor } from './visitor.ts'

describe('arguments of a step', () => {
  const opened = new AsyncDisposableStack()
  let stage: ProceduresStage
  let browser: Browser
  let wide: Visitor
  let phone: Visitor

  beforeAll(async () => {
    stage = opened.use(await openProceduresStage(databases[0]!, [benchModule]))
    browser = await openBrowser()
    opened.defer(() => browser.close())
    wide = opened.use(await openVisitor(browser, stage.url))
    phone = opened.use(await openVisitor(browser, stage.url, { phone: true, dark: true }))
    for (const visitor of [wide, phone]) {
      visitor.expectMessage(/\/api\/auth\/session\b/)
      await visitor.signIn('author')
    }
  })
  afterAll(() => opened.disposeAsync())

  const edit = async (page: Page, draft: Draft): Promise<ProcedureDetail> => {
    const detail = await stage.write(draft)
    await page.goto(`/procedures/${detail.procedure.procedure_id}?edit=true`)
    return detail
  }
  const argumentsIn = (page: Page) => page.getByRole('group', { name: 'Arguments', exact: true })
  const stored = async ({ procedure: { procedure_id } }: ProcedureDetail) => {
    const { versions } = await stage.author.call(contract.procedures.read, { params: { procedure_id } })
    return versions[0]!
  }
  /** Saves, and reads what is stored once the page shows it. */
  const saved = async (page: Page, of: ProcedureDetail) => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Submit for review' }).waitFor()
    return stored(of)
  }

  test('are a form by the schema of the tool; what is wrong is said where it is', async () => {
    const { page } = wide
    const given = {
      board: 'oak 7',
      length: 40,
      edges: { top: 'round' },
      marks: ['a', 'b'],
      angle: '45',
      old: [1, null],
    }
    const detail = await edit(page, draftOf('Cut it', [step('bench.cut', given)], []))
    const form = argumentsIn(page)
    const board = form.getByRole('textbox', { name: 'board (required)' })
    const length = form.getByRole('textbox', { name: 'length', exact: true })
    expect(await board.inputValue()).toBe('oak 7')
    expect(await length.inputValue()).toBe('40')
    await form.getByText('Centimetres · Default: 100').waitFor()
    expect(await form.getByRole('textbox', { name: 'marks, line 2', exact: true }).inputValue()).toBe('b')
    // What the form has no field for, or none that holds it, keeps its JSON.
    expect(await form.getByRole('textbox', { name: 'edges', exact: true }).inputValue()).toBe('{\n  "top": "round"\n}')
    expect(await form.getByRole('textbox', { name: 'angle', exact: true }).inputValue()).toBe('"45"')
    expect(await form.getByRole('textbox', { name: 'old', exact: true }).inputValue()).toBe('[\n  1,\n  null\n]')
    await form.getByText('The tool knows no argument of this name.').waitFor()
    await expectFits(wide)
    await pictures(page, 'procedure-arguments')

    await length.fill('forty')
    await board.fill('')
    await board.blur()
    await form.getByText('This is needed.').waitFor()
    await form.getByText('Enter a whole number.').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(false)
    expect(await length.getAttribute('aria-invalid')).toBe('true')
    await wide.expectAccessible()
    await board.fill('oak 8')
    await length.fill('50')
    await form.getByRole('combobox', { name: 'finish', exact: true }).selectOption('oil')
    await form.getByRole('combobox', { name: 'sand', exact: true }).selectOption({ label: 'Yes' })
    await form.getByRole('textbox', { name: 'angle', exact: true }).fill('')
    await form.getByRole('textbox', { name: 'old', exact: true }).fill('')
    await form.getByRole('textbox', { name: 'marks, line 2', exact: true }).fill('two words')
    await form.getByRole('textbox', { name: 'old', exact: true }).waitFor({ state: 'detached' })
    const { steps } = await saved(page, detail)
    expect(steps[0]!.arguments).toEqual({
      board: 'oak 8',
      length: 50,
      edges: { top: 'round' },
      marks: ['a', 'two words'],
      finish: 'oil',
      sand: true,
    })
  })

  test('as JSON say the same, and nothing is lost on the way', async () => {
    const { page } = wide
    const detail = await edit(page, draftOf('Cut it as JSON', [step('bench.cut', { board: 'elm', sand: true })], []))
    const form = argumentsIn(page)
    const asJson = form.getByRole('checkbox', { name: 'As JSON' })
    await form.getByRole('textbox', { name: 'length', exact: true }).fill('half')
    await asJson.check()
    const json = form.getByRole('textbox', { name: 'Arguments as JSON' })
    expect(JSON.parse(await json.inputValue())).toEqual({ board: 'elm', sand: true, length: 'half' })
    await json.fill('{"board": ')
    await form.getByText('Enter one JSON object.').waitFor()
    expect(await asJson.isEnabled()).toBe(false)
    await wide.expectAccessible()
    await json.fill('{"board": "elm", "length": 7, "marks": [], "sand": "perhaps"}')
    await asJson.uncheck()
    expect(await form.getByRole('textbox', { name: 'length', exact: true }).inputValue()).toBe('7')
    expect(await form.getByRole('textbox', { name: 'sand', exact: true }).inputValue()).toBe('"perhaps"')
    const { steps } = await saved(page, detail)
    expect(steps[0]!.arguments).toEqual({ board: 'elm', length: 7, marks: [], sand: 'perhaps' })
  })

  test('become parameters with one click, by keyboard, and follow their names', async () => {
    const { page } = wide
    const detail = await edit(
      page,
      draftOf(
        'Cut one of many',
        [step('bench.cut', { board: 'ash', length: 30, marks: ['left', 'right'] })],
        [MACHINE],
      ),
    )
    const form = argumentsIn(page)
    await form.getByRole('textbox', { name: 'length', exact: true }).focus()
    await tabTo(page, form.getByRole('button', { name: 'New parameter from this value length' }), 3)
    await page.keyboard.press('Enter')
    // The button has gone; the focus is on what now says where the value comes from.
    const from = form.getByRole('combobox', { name: 'length: value or parameter' })
    expect(await from.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await from.inputValue()).toBe('length')
    expect(await form.getByRole('textbox', { name: 'length', exact: true }).count()).toBe(0)
    await form.getByRole('button', { name: 'New parameter from this value marks, line 2' }).click()
    await form
      .getByRole('combobox', { name: 'board: value or parameter' })
      .selectOption({ label: 'Parameter: Machine' })
    await form.getByRole('combobox', { name: 'board: value or parameter' }).selectOption({ label: 'Value' })
    expect(await form.getByRole('textbox', { name: 'board (required)' }).inputValue()).toBe('ash')
    await expectFits(wide)
    await pictures(page, 'procedure-parameters')
    await page.getByRole('button', { name: 'Remove Machine' }).click()
    await page.getByRole('textbox', { name: 'Name in the steps' }).first().fill('centimetres')
    expect(await from.inputValue()).toBe('centimetres')
    const { steps, params } = await saved(page, detail)
    expect(steps[0]!.arguments).toEqual({
      board: 'ash',
      length: { $param: 'centimetres' },
      marks: ['left', { $param: 'marks' }],
    })
    expect(params).toEqual([
      { name: 'centimetres', title: 'length', test: { min: 1, max: 400 }, preset: 30 },
      { name: 'marks', title: 'marks', test: { any: true }, preset: 'right' },
    ])
  })

  test('a list becomes a parameter, too, and a run begins with its values', async () => {
    const { page } = wide
    const detail = await edit(page, draftOf('Drill', [step('bench.cut', { board: 'fir' })], []))
    const form = argumentsIn(page)
    await form.getByRole('textbox', { name: 'holes' }).fill('3\nfive')
    await form.getByRole('textbox', { name: 'holes' }).blur()
    await form.getByText('Enter a number.').waitFor()
    await form.getByRole('textbox', { name: 'holes' }).fill('3\n5')
    await form.getByRole('button', { name: 'New parameter from this value holes' }).click()
    const { params } = await saved(page, detail)
    expect(params).toMatchObject([{ name: 'holes', test: { each: { min: 1, max: 90 } }, preset: [3, 5] }])

    const { procedure_id } = detail.procedure
    const written = await stage.author.call(contract.procedures.read, { params: { procedure_id } })
    await stage.approve(await stage.submit(written))
    await stage.shift('pia', [{ subject: `procedure:${procedure_id}`, effect: 'allow' }])
    await using shift = await openVisitor(browser, stage.url, { phone: true })
    shift.expectMessage(/\/api\/auth\/session\b/)
    await shift.signIn('pia')
    await shift.page.goto(`/procedures/${procedure_id}`)
    await shift.page.getByRole('button', { name: 'Run', exact: true }).tap()
    const run = shift.page.getByRole('dialog', { name: 'Run “Drill”' })
    expect(await run.getByRole('textbox', { name: 'holes' }).inputValue()).toBe('3\n5')
    await run.getByRole('button', { name: 'Run', exact: true }).tap()
    await shift.page.waitForURL(/\/chat\?c=/)
    await (await lastAnswer(shift.page)).getByText('All steps are done: 1.').waitFor()
  })

  test('on a phone: a step from nothing, with the machine as a parameter', async () => {
    const { page } = phone
    const detail = await edit(page, draftOf('Look around', [step('bench.cut', { board: 'oak' })], []))
    await page.getByRole('button', { name: 'Add step' }).tap()
    const second = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Step 2' }) })
    await second.getByRole('combobox', { name: 'Tool' }).fill('system.run_command')
    const form = second.getByRole('group', { name: 'Arguments', exact: true })
    await form.getByRole('textbox', { name: 'command (required)' }).fill('df')
    await form.getByRole('combobox', { name: 'Machine (required)' }).fill('local')
    await form.getByRole('button', { name: 'New parameter from this value Machine' }).tap()
    await form.getByRole('button', { name: 'Add a line args' }).tap()
    await form.getByRole('textbox', { name: 'args, line 1' }).fill('-h')
    await form.getByRole('button', { name: 'Add a line args' }).tap()
    await form.getByRole('textbox', { name: 'args, line 2' }).fill('/srv')
    await form.getByRole('button', { name: 'New parameter from this value args, line 2' }).tap()
    await expectFits(phone)
    await pictures(page, 'procedure-arguments-command')
    const { steps, params } = await saved(page, detail)
    expect(steps[1]!.arguments).toEqual({
      command: 'df',
      host: { $param: 'host' },
      args: ['-h', { $param: 'args' }],
    })
    expect(params).toMatchObject([
      { name: 'host', title: 'Machine', test: { hosts: ['#all'] }, preset: 'local' },
      { name: 'args', test: { any: true }, preset: '/srv' },
    ])
    // The server finds nothing in the way of a review.
    expect(await page.getByRole('button', { name: 'Submit for review' }).isEnabled()).toBe(true)
  })

  test('of a tool that is not there any more stay readable, with why', async () => {
    const { page } = wide
    await edit(page, draftOf('Cut no more', [step('bench.saw', { board: 'oak', deep: { a: 1 } })], []))
    const form = argumentsIn(page)
    await form.getByText('This tool is not available to you now').waitFor()
    expect(JSON.parse(await form.getByRole('textbox', { name: 'Arguments as JSON' }).inputValue())).toEqual({
      board: 'oak',
      deep: { a: 1 },
    })
    expect(await form.getByRole('checkbox', { name: 'As JSON' }).count()).toBe(0)
    await expectFits(wide)
    await pictures(page, 'procedure-arguments-gone')
    // With another name it is a form again, of the same values.
    await page.getByRole('combobox', { name: 'Tool' }).fill('bench.cut')
    expect(await form.getByRole('textbox', { name: 'board (required)' }).inputValue()).toBe('oak')
    expect(await form.getByRole('textbox', { name: 'deep', exact: true }).inputValue()).toBe('{\n  "a": 1\n}')
  })
})
