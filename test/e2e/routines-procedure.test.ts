import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import {
  draftOf,
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

  beforeAll(async () => {
    stage = opened.use(await openProceduresStage(databases[0]!))
    const browser = await openBrowser()
    opened.defer(() => browser.close())
    phone = opened.use(await openVisitor(browser, stage.url, { phone: true }))
    phone.expectMessage(/\/api\/auth\/session\b/)
  })
  afterAll(() => opened.disposeAsync())

  test('what somebody without the tool has run, runs by itself: the same version with the same values', async () => {
    const { procedure } = await stage.reviewed(
      draftOf('Look at the memory', [step('system.memory', { host: ON_MACHINE })]),
    )
    const { procedure_id } = procedure
    const { client } = await stage.shift('pia', [{ subject: `procedure:${procedure_id}`, effect: 'allow' }])
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
  })
})
