import { contract } from '../../contract/index.ts'
import type { TestApp } from './app.ts'
import { Authenticator } from './authenticator.ts'
import { decide, say } from './chat-stage.ts'
import { TestClient } from './client.ts'
import { PNG } from './modules/module-bundles.ts'
import { PASSWORD } from './people.ts'

/** By the name of the parameter: `conversation_id`. */
export type Ids = Readonly<Record<string, string>>

/** Lets somebody own one of everything, and gives the ids. */
export async function belongings(app: TestApp, username: string): Promise<Ids> {
  const owner = await app.as(username)
  const { folder } = await owner.call(contract.chat.createFolder, { body: { name: 'Servers' } })
  const { file } = await owner.call(contract.files.upload, {
    headers: { 'x-file-name': 'notes.txt' },
    body: 'private notes',
  })
  const picture = await owner.call(contract.files.upload, { headers: { 'x-file-name': 'private.png' }, body: PNG })
  const command = await owner.call(contract.commands.create, { body: { name: 'Private', prompt: 'df {{host}}' } })
  const { procedure } = await owner.call(contract.procedures.create, { body: privateProcedure(username) })
  const shelf = await owner.call(contract.commands.createFolder, { body: { name: 'Servers' } })
  const { item } = await owner.call(contract.accounts.createToken, { body: { name: 'script' } })
  const other = app.anonymous()
  const login = await other.call(contract.accounts.login, { body: { username, password: PASSWORD } })
  other.csrfToken = login.csrf_token
  const { session_id } = await other.call(contract.accounts.session)
  const { approvals } = await say(owner, '/system.run_command {"command":"true","host":"local"}')
  const { conversation_id } = await say(owner, 'a private question')
  const { messages } = await owner.call(contract.chat.conversation, { params: { conversation_id } })
  const card = approvals[0]!
  const written = await say(owner, '/files.write {"name":"a.txt","text":"private"}')
  const grant = { offer_id: 'same', uses: 2, minutes: 60 }
  await decide(owner, written.approvals[0]!.approval_id, 'approve', { grant })
  const { items: grants } = await owner.call(contract.chat.listGrants)
  const { items: changes } = await owner.call(contract.chat.listChanges, { query: {} })
  const { queued_id } = await heldMessage(owner, conversation_id)
  const address = `${username}@example.com`
  const { items: addresses } = await owner.call(contract.notifications.addOwnChannel, { body: { address } })
  const notice = { event: 'watch_crossed' as const, ref_id: 'wat_1', path: '/', name: 'A private watch', key: username }
  const { user } = await owner.call(contract.accounts.session)
  await app.app.db.transaction((trx) => app.app.unattended.tell(trx, { ...notice, to: { user_ids: [user.id] } }))
  const { items: notices } = await owner.call(contract.notices.listNotices, { query: {} })
  const action = { tell: { to: 'me' as const }, on_recovery: false, repeat_s: null, routine_id: null }
  const { watch } = await owner.call(contract.watches.createWatch, {
    body: {
      name: 'Private',
      // Nothing looks at it, so that nothing of it changes by itself.
      enabled: false,
      source: { kind: 'figure', figure: 'disk_used', machines: { of: 'local' } },
      condition: { is: 'above', bound: 90, back: null, for_s: 0 },
      action,
    },
  })
  const { handover } = await owner.call(contract.chat.offerHandover, {
    params: { conversation_id },
    body: { username: 'admin' },
  })
  const planned = { kind: 'text' as const, text: 'a private routine', engine: null }
  const { routine } = await owner.call(contract.routines.create, {
    body: { name: 'Private', work: planned, scope: [], schedule: { cron: '0 3 * * *', zone: 'UTC' } },
  })
  const { hook } = await owner.call(contract.routines.addHook, {
    params: { routine_id: routine.routine_id },
    body: { kind: 'generic' },
  })
  return {
    conversation_id,
    queued_id,
    message_id: messages[0]!.message_id,
    run_id: card.run_id,
    approval_id: card.approval_id,
    grant_id: grants[0]!.grant_id,
    notice_id: notices[0]!.notice_id,
    handover_id: handover.handover_id,
    // Of the setup; with so many digits that it stands in no answer by chance.
    audit_id: '000000000000001',
    change_id: changes[0]!.change_id,
    folder_id: folder.folder_id,
    file_id: file.file_id,
    picture_id: picture.file.file_id,
    command_id: command.item.command_id,
    procedure_id: procedure.procedure_id,
    command_folder_id: shelf.folder.folder_id,
    routine_id: routine.routine_id,
    hook_id: hook.hook_id,
    token_id: item.token_id,
    passkey_id: await passkeyOf(app, username),
    channel_id: addresses[0]!.channel_id,
    watch_id: watch.watch_id,
    elevation_id: await requestOf(app, username),
    session_id,
    module: 'nothing',
    // With so many digits that it stands in no answer by chance.
    addition_id: '000000000000002',
    prompt: 'nothing',
    // Everybody's.
    host_id: 'local',
  }
}

/** A draft that nobody else sees. */
function privateProcedure(username: string) {
  const given = { host: 'local' }
  const step = { module: 'system', tool: 'host', note: '', arguments: given, confirm: false }
  return { name: `Private of ${username}`, description: '', params: [], steps: [step] }
}

/** A request for a role for a while, which administrators decide about. */
async function requestOf(app: TestApp, username: string): Promise<string> {
  const [owner, admin] = [await app.as(username), await app.as('admin')]
  const { items } = await admin.call(contract.accounts.listRoles)
  const name = `what ${username} asks for`
  const { role } = await admin.call(contract.accounts.createRole, { body: { name, rules: [] } })
  const approvers = [{ role_id: items.find(({ admin: administers }) => administers)!.role_id, count: 1 }]
  await admin.call(contract.accounts.updateRole, {
    params: { role_id: role.role_id },
    body: { elevatable: { approvers, max_minutes: 60 } },
  })
  const body = { role_id: role.role_id, minutes: 10, reason: 'A private reason' }
  return (await owner.call(contract.accounts.requestElevation, { body })).elevation.elevation_id
}

/** A message that stays queued, because the run before it was stopped. */
async function heldMessage(owner: TestClient, conversation_id: string) {
  await say(owner, '/system.run_command {"command":"true","host":"local"}', { conversation_id })
  const params = { conversation_id }
  const { queued } = await owner.call(contract.chat.queueMessage, { params, body: { message: 'a private plan' } })
  await owner.call(contract.chat.cancel, { body: { conversation_id } })
  return queued
}

/** Passkeys belong to a host name, so this client comes by one. */
async function passkeyOf(app: TestApp, username: string): Promise<string> {
  const origin = app.url.replace('127.0.0.1', 'localhost')
  const client = new TestClient(() => origin)
  const { csrf_token } = await client.call(contract.accounts.login, { body: { username, password: PASSWORD } })
  client.csrfToken = csrf_token
  const { options } = await client.call(contract.accounts.beginPasskey)
  const credential = new Authenticator(origin).register(options)
  const { item } = await client.call(contract.accounts.registerPasskey, { body: { name: 'Laptop', credential } })
  return item.passkey_id
}
