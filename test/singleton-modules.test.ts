import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { counted, openCounterStage, runCounter, type Counting } from './stage/modules/counter-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases.filter(({ name }) => name === 'postgres'))('a module with data, and two processes', (database) => {
  let stage: Awaited<ReturnType<typeof openCounterStage>>
  let a: Counting
  let b: Counting
  beforeAll(async () => {
    stage = await openCounterStage(database)
    a = await stage.first()
    await runCounter(a.admin)
    b = await stage.another()
  })
  afterAll(async () => {
    await b?.process[Symbol.asyncDispose]()
    await a?.process[Symbol.asyncDispose]()
    await stage?.[Symbol.asyncDispose]()
  })

  test('calls through either process reach one counter', async () => {
    expect(await counted(a.ann)).toBe('number 1')
    expect(await counted(b.ann)).toBe('number 2')
    expect(await counted(a.ann)).toBe('number 3')
    expect(await counted(b.ann, 'read')).toBe('number 3')
  })
})
