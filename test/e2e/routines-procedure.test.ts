import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import type { Param, ProcedureDetail } from '../../contract/procedure-values.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import {
  draftOf,
  MACHINE,
  ON_MACHINE,
  openProceduresStage,
  type ProceduresStage,
  runIt,
  step,
} from '../stage/procedures/procedures-stage.ts'
import { ended } from '../stage/routines/routine-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { chooseAction, expectFits, lastAnswer, openVisitor, type Visitor } from './visitor.ts'

describe('a procedure as a routine', () => {
  const opened = new AsyncDisposableStack()
  let stage: ProceduresStage
  let phone: Visitor
  let first: ProcedureDetail
  let client: TestClient

  beforeAll(async () => {
    stage = opened.use(await openProceduresStage(databases[0]!))
    const browser = await openBrowser()
    opened.defer(() => browser.close())
    phone = opened.use(await openVisitor(browser, stage.url, { phone: true }))
    phone.expectMessage(/\/api\/auth\/session\b/)
    // A value that does not fit.
    phone.expectMessage(/status of 400 .*\/api\/routines\//)
  })
  afterAll(() => opened.disposeAsync())

  test('what somebody without the tool has run, runs by itself: the same version with the same values', async () => {
    first = await stage.reviewed(draftOf('Look at the memory', [step('system.memory', { host: ON_MACHINE })]))
    const { procedure_id } = first.procedure
    ;({ client } = await stage.shift('pia', [{ subject: `procedure:${procedure_id}`, effect: 'allow' }]))
    const values = { machine: 'local' }
    const { conversation_id } = await runIt(client, procedure_id, values)
    const { page } = phone
    await phone.signIn('pia')
    await page.goto(`/chat?c=${conversation_id}`)
    await chooseAction(await lastAnswer(page), 'Every …', 'tap')
    const dialog = page.getByRole('dialog', { name: 'New routine' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await name.waitFor()
    expect(await name.inputValue()).toBe('Look at the memory')
    expect(await dialog.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
    const machine = dialog.getByRole('combobox', { name: 'Machine' })
    await machine.waitFor()
    expect(await machine.inputValue()).toBe('local')
    await dialog.getByRole('checkbox', { name: 'End with a report' }).check()
    await expectFits(phone)
    await phone.expectAccessible()
    await pictures(page, 'routine-of-procedure')
    await dialog.getByRole('button', { name: 'Save' }).tap()
    await page.getByRole('dialog', { name: '“Look at the memory” was saved' }).waitFor()
    const { items } = await client.call(contract.routines.list)
    expect(items).toMatchObject([
      { name: 'Look at the memory', work: { kind: 'procedure', procedure_id, version: 1, values }, report: true },
    ])
    const { routine_id } = items[0]!
    await client.call(contract.routines.run, { params: { routine_id } })
    expect((await ended(stage, client, routine_id)).run).toMatchObject({ status: 'done' })
    await page.goto(`/routines/${routine_id}`)
    await page.getByRole('link', { name: 'Report' }).waitFor()
    const part = page.getByRole('region', { name: 'Procedure' })
    expect(await part.getByRole('link', { name: 'Look at the memory' }).getAttribute('href')).toBe(
      `/procedures/${procedure_id}?version=1`,
    )
    await part.getByText('Version 1', { exact: true }).waitFor()
    // The title comes with the procedure, which is read by itself.
    await part.getByText('Machine', { exact: true }).waitFor()
    expect(await part.locator('dl').first().innerText()).toMatch(/^Machine\s+local$/)
  })

  test('a version that was reviewed since is offered, with what it asks for', async () => {
    const { page } = phone
    const lines: Param = { name: 'lines', title: 'How many', test: { min: 1, max: 50 }, preset: 20 }
    const steps = [
      step('system.memory', { host: ON_MACHINE }),
      step('system.processes', { host: ON_MACHINE, limit: { $param: 'lines' } }),
    ]
    const { procedure } = await stage.reviewedAgain(first, draftOf('Look at the memory', steps, [MACHINE, lines]))
    const part = page.getByRole('region', { name: 'Procedure' })
    await part.getByText('Version 2 has been reviewed since.').waitFor()
    await expectFits(phone)
    await pictures(page, 'routine-newer-version')
    await part.getByRole('button', { name: 'Use version 2' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Edit routine' })
    const many = dialog.getByRole('textbox', { name: 'How many' })
    await many.waitFor()
    expect(await many.inputValue()).toBe('20')
    await many.fill('60')
    await dialog.getByRole('button', { name: 'Save' }).tap()
    await dialog.getByText('“How many” does not take this value.').waitFor()
    await many.fill('5')
    await pictures(page, 'routine-values')
    await dialog.getByRole('button', { name: 'Save' }).tap()
    const saved = page.getByRole('dialog', { name: '“Look at the memory” was saved' })
    await saved.getByRole('button', { name: 'Done' }).tap()
    await part.getByText('Version 2', { exact: true }).waitFor()
    const { items } = await client.call(contract.routines.list)
    expect(items).toMatchObject([
      { work: { procedure_id: procedure.procedure_id, version: 2, values: { machine: 'local', lines: 5 } } },
    ])
    const { routine_id } = items[0]!
    await client.call(contract.routines.run, { params: { routine_id } })
    expect((await ended(stage, client, routine_id)).run).toMatchObject({ status: 'done' })
    expect(await part.getByRole('button').count()).toBe(0)
  })
})
