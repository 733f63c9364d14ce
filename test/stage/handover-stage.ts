import type { z } from 'zod'
import type { Handover, HandoverStatus } from '../../contract/handovers.ts'
import { contract } from '../../contract/index.ts'
import { PASSWORD } from './people.ts'
import type { TestClient } from './client.ts'

const { chat } = contract

/** Somebody who hands over or takes over. */
export interface Person {
  readonly client: TestClient
}

/** Offers a conversation to somebody, and gives the offer as its giver sees it. */
export async function offer(from: Person, to: Person, conversation_id: string, note?: string): Promise<Handover> {
  const { user } = await to.client.call(contract.accounts.session)
  const body = { username: user.username, ...(note !== undefined && { note }) }
  return (await from.client.call(chat.offerHandover, { params: { conversation_id }, body })).handover
}

export async function accept({ client }: Person, handover_id: string): Promise<Handover> {
  return (await client.call(chat.acceptHandover, { params: { handover_id } })).handover
}

export async function withdraw({ client }: Person, handover_id: string): Promise<Handover> {
  return (await client.call(chat.withdrawHandover, { params: { handover_id } })).handover
}

/** What is offered to and by a person, newest first. */
export async function handoversOf({ client }: Person, status?: z.infer<typeof HandoverStatus>): Promise<Handover[]> {
  return (await client.call(chat.listHandovers, { query: status === undefined ? {} : { status } })).items
}

/** A second person in a service that only has the administrator. */
export async function colleague(admin: TestClient, signIn: (name: string) => Promise<TestClient>): Promise<Person> {
  const { items } = await admin.call(contract.accounts.listRoles)
  const { role_id } = items.find(({ name }) => name === 'user')!
  await admin.call(contract.accounts.createUser, { body: { username: 'colleague', password: PASSWORD, role_id } })
  return { client: await signIn('colleague') }
}
