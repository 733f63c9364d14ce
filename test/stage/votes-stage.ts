import { join } from 'node:path'
import { contract } from '../../contract/index.ts'
import { command, lastAnswer, openStage, say, type Member, type Stage } from './chat-stage.ts'
import type { TestClient } from './client.ts'
import { PASSWORD } from './people.ts'
import type { TestDatabase } from './servers/postgres.ts'
import { until } from './wait.ts'

export const RUN = 'tool:system.run_command'

/** Three people of the role `leads`, who decide about the commands of others. */
export interface VotesStage extends Stage {
  readonly admin: TestClient
  /** role_id of `leads`. */
  readonly leads: string
  readonly lea: TestClient
  readonly leo: TestClient
  readonly lou: TestClient
  /** Someone new, with a role. */
  person(username: string, role_id: string): Promise<{ readonly client: TestClient; readonly user_id: string }>
  /** A member whose commands so many leads must agree to, and a call of theirs that waits; it writes a line to `fileOf(cue)`. */
  waiting(cue: string, count: number, calls?: number): ReturnType<typeof waitingCall>
  fileOf(name: string): string
}

export async function openVotesStage(database: TestDatabase): Promise<VotesStage> {
  const stage = await openStage(database)
  const admin = await stage.as('admin')
  const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'leads', rules: [] } })
  const leads = role.role_id
  const person = async (username: string, role_id: string) => {
    const { user } = await admin.call(contract.accounts.createUser, { body: { username, password: PASSWORD, role_id } })
    return { client: await stage.signIn(username), user_id: user.user_id }
  }
  const [lea, leo, lou] = await Promise.all(['lea', 'leo', 'lou'].map((name) => person(name, leads)))
  const fileOf = (name: string): string => join(stage.dataFolder, name)
  return {
    ...stage,
    admin,
    leads,
    lea: lea!.client,
    leo: leo!.client,
    lou: lou!.client,
    person,
    fileOf,
    waiting: (cue, count, calls = 1) => waitingCall(stage, fileOf(cue), { cue, count, calls, leads }),
  }
}

async function waitingCall(
  stage: Stage,
  file: string,
  { cue, count, calls, leads }: { cue: string; count: number; calls: number; leads: string },
) {
  const member = await stage.member(cue, [{ subject: RUN, effect: 'ask', approvers: [{ role_id: leads, count }] }])
  const requests = stage.play(cue, [
    [{ calls: Array.from({ length: calls }, () => command(`echo ran >> ${file}`)) }],
    [{ text: 'Over.' }],
  ])
  const { approvals, conversation_id } = await say(member.client, cue)
  return { member, requests, conversation_id, card: approvals[0]!, id: approvals[0]!.approval_id, approvals }
}

export function vote(
  client: TestClient,
  approval_id: string,
  decision: 'approve' | 'deny' = 'approve',
  reason?: string,
) {
  return client.call(contract.chat.voteOnApproval, {
    params: { approval_id },
    body: { decision, ...(reason === undefined ? {} : { reason }) },
  })
}

/** The cards of others that a person is shown. */
export async function othersOf(client: TestClient) {
  return (await client.call(contract.chat.listOthersApprovals, { query: { for: 'others' } })).items
}

/** A member's own card as it is now. */
export async function cardOf({ client }: Member, approval_id: string) {
  return (await client.call(contract.chat.listApprovals)).items.find((card) => card.approval_id === approval_id)!
}

export function over({ client }: Member, conversation_id: string) {
  return until(async () => (await lastAnswer(client, conversation_id)).status === 'complete', {
    what: 'the run is over',
  })
}
