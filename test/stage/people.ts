import { contract } from '../../contract/index.ts'
import { TestClient } from './client.ts'
import { withMachineTools } from './modules/machine-rules.ts'

/** The password of everyone in the tests. */
export const PASSWORD = 'quiet harbour 47 lanterns'

export interface People {
  /** A client with no session. A new one each time. */
  anonymous(): TestClient
  /** Signs in somebody who is there already: another browser of theirs, each time. */
  signIn(username: string): Promise<TestClient>
  /**
   * The client of a signed-in person. `admin` is the first administrator; anyone else is made at first use, with the
   * role `user`, for which the tools of the machine are allowed as they are for administrators.
   */
  as(username: string): Promise<TestClient>
}

/** Makes the people of a test through the front door: setup, user administration, sign-in. */
export function openPeople(base: () => string, setupLink: () => string | null): People {
  const clients = new Map<string, Promise<TestClient>>()
  const anonymous = (): TestClient => new TestClient(base)

  async function signIn(username: string): Promise<TestClient> {
    const client = anonymous()
    const { csrf_token } = await client.call(contract.accounts.login, { body: { username, password: PASSWORD } })
    client.csrfToken = csrf_token
    return client
  }

  async function setUpAdmin(): Promise<TestClient> {
    const link = setupLink()
    if (link === null) return signIn('admin')
    const token = new URL(link, base()).searchParams.get('token') ?? ''
    const client = anonymous()
    const answer = await client.call(contract.accounts.setup, {
      body: { token, username: 'admin', password: PASSWORD },
    })
    client.csrfToken = answer.csrf_token
    return client
  }

  async function makeUser(username: string): Promise<TestClient> {
    const admin = await as('admin')
    const { items } = await admin.call(contract.accounts.listRoles)
    const role = items.find((each) => each.name === 'user')
    if (role === undefined) throw new Error('There is no role "user".')
    const { role_id, rules } = role
    if (rules.length === 0)
      await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: withMachineTools([]) } })
    await admin.call(contract.accounts.createUser, { body: { username, password: PASSWORD, role_id } })
    return signIn(username)
  }

  function as(username: string): Promise<TestClient> {
    let client = clients.get(username)
    if (client === undefined) {
      client = username === 'admin' ? setUpAdmin() : makeUser(username)
      clients.set(username, client)
    }
    return client
  }

  return { anonymous, signIn, as }
}
