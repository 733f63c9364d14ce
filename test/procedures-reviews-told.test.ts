import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import {
  draftOf,
  ON_MACHINE,
  openProceduresStage,
  type ProceduresStage,
  step,
} from './stage/procedures/procedures-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('who is told that a review is wanted, on $name', (database) => {
  let stage: ProceduresStage
  beforeAll(async () => {
    stage = await openProceduresStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('everybody who may review it but its author, and nobody once it is decided or taken back', async () => {
    const { client: second } = await stage.shift('second', [
      { subject: 'procedures.review', effect: 'allow' },
      { subject: 'tool:system.host', effect: 'allow' },
    ])
    const wanted = async (client: TestClient, name: string) =>
      (await noticesOf(client)).items.filter((one) => one.event === 'review_wanted' && one.name === name)
    const own = await stage.reviewer.call(contract.procedures.create, {
      body: draftOf('Of a reviewer', [step('system.host', { host: ON_MACHINE })]),
    })
    const { procedure_id } = own.procedure
    const { version, content_hash } = own.versions[0]!
    const seen = { params: { procedure_id }, body: { version, content_hash } }
    await stage.reviewer.call(contract.procedures.submit, seen)
    expect(await wanted(stage.reviewer, 'Of a reviewer')).toEqual([])
    expect(await wanted(second, 'Of a reviewer')).toMatchObject([{ by: 'admin', path: `/procedures/${procedure_id}` }])
    await second.call(contract.procedures.review, { ...seen, body: { ...seen.body, decision: 'approve' } })
    expect(await wanted(second, 'Of a reviewer')).toEqual([])

    const made = await stage.submit(
      await stage.write(draftOf('Taken back', [step('system.host', { host: ON_MACHINE })])),
    )
    const [told] = await wanted(second, 'Taken back')
    await second.call(contract.notices.readNotice, { params: { notice_id: told!.notice_id } })
    const params = { procedure_id: made.procedure.procedure_id }
    await stage.author.call(contract.procedures.withdraw, { params, body: { version: 1, note: '' } })
    expect(await wanted(stage.reviewer, 'Taken back')).toEqual([])
    // Who has read it has it in the list, and is not told the same twice.
    await stage.submit(made)
    expect(await wanted(second, 'Taken back')).toMatchObject([{ read_at: expect.any(String) as string }])
    expect(await wanted(stage.reviewer, 'Taken back')).toMatchObject([{ read_at: null }])
  })
})
