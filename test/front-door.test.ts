import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'

describe.each(databases)('the service on $name', (database) => {
  test('is set up by its link, and lets people in', async () => {
    await using app = await startTestApp({ database })
    expect(app.setupLink).toContain('/setup?token=')
    await expect(app.anonymous().call(contract.accounts.session)).rejects.toMatchObject({
      status: 401,
      code: 'not_signed_in',
    })
    const ann = await app.as('ann')
    const { user } = await ann.call(contract.accounts.session)
    expect(user).toMatchObject({ username: 'ann', role: 'user', admin: false })
    await expect(ann.call(contract.accounts.listUsers)).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    const { items } = await (await app.as('admin')).call(contract.accounts.listUsers, { query: { limit: 10 } })
    expect(items.map((each) => each.username).sort()).toEqual(['admin', 'ann'])
  })

  test('keeps its people when it is killed', async () => {
    await using service = await startProcess({ database })
    const ann = await service.as('ann')
    expect(await service.kill()).toBeNull()
    await service.restart()
    expect((await ann.call(contract.accounts.session)).user.username).toBe('ann')
    expect(service.setupLink).toBeNull()
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})
