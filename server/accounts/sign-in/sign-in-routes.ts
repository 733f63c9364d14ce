import type { confirmation } from '../../../contract/confirmation.ts'
import type { signInMethods } from '../../../contract/sign-in-methods.ts'
import type { Caller, Handlers } from '../../../contract/route.ts'
import { iso } from '../../kernel/time.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { confirmOptions, confirmSignIn, confirmState } from './confirm-sign-in.ts'
import { openOpenidSignIn } from '../openid/openid-sign-in.ts'
import type { OpenidSettings } from '../openid/openid-settings.ts'
import { passkeyOptions } from '../passkeys/passkey-sign-in.ts'
import { deletePasskey, listPasskeys, renamePasskey } from '../passkeys/passkeys.ts'
import { beginPasskey, registerPasskey } from '../passkeys/register-passkey.ts'
import { passkeysUnavailable } from '../passkeys/relying-party.ts'
import { countBackupCodes } from '../totp/backup-codes.ts'
import { beginTotp, confirmTotp, endTotp, findTotp, renewBackupCodes } from '../totp/change-totp.ts'
import { removeSecondFactor } from '../totp/remove-second-factor.ts'

/** A handler for each way to sign in other than by password: unpack, call, wrap. */
export function signInRoutes(
  context: AccountsContext,
  audit: Audit,
  openid: OpenidSettings | null,
): Handlers<typeof signInMethods & typeof confirmation> {
  const ok = true as const
  const provider = openOpenidSignIn(context, audit, openid)
  return {
    signInMethods: async () => ({
      passkeys: await anyPasskey(context),
      openid: openid && { name: openid.name },
    }),
    mySignInMethods: async ({ caller, client }) => {
      const why = passkeysUnavailable(client.origin)
      return { ...(await methodsOf(context, caller)), passkeys_unavailable: why && why.in(caller.language) }
    },
    confirmState: ({ caller }) => confirmState(context, openid, caller),
    confirmOptions: async ({ caller, client }) => ({
      ok,
      options: await confirmOptions(context, caller, client.origin),
    }),
    confirmSignIn: ({ caller, body, client }) => confirmSignIn(context, audit, caller, body, client),
    beginTotp: async ({ caller }) => ({ ok, ...(await beginTotp(context, caller)) }),
    confirmTotp: async ({ caller, body }) => ({
      ok,
      backup_codes: await confirmTotp(context, audit, caller, body.code),
    }),
    renewBackupCodes: async ({ caller, body }) => ({
      ok,
      backup_codes: await renewBackupCodes(context, audit, caller, body),
    }),
    endTotp: async ({ caller, body }) => {
      await endTotp(context, audit, caller, body)
      return { ok }
    },
    listPasskeys: async ({ caller }) => ({ items: await listPasskeys(context, caller) }),
    beginPasskey: async ({ caller, client }) => ({ ok, options: await beginPasskey(context, caller, client.origin) }),
    registerPasskey: async ({ caller, body, client }) => ({
      ok,
      item: await registerPasskey(context, audit, caller, body, client.origin),
    }),
    renamePasskey: async ({ caller, params, body }) => ({
      ok,
      item: await renamePasskey(context, audit, caller, params.passkey_id, body.name),
    }),
    deletePasskey: async ({ caller, params }) => {
      await deletePasskey(context, audit, caller, params.passkey_id)
      return { ok, deleted: params.passkey_id }
    },
    removeSecondFactor: async ({ caller, params }) => ({
      ok,
      ...(await removeSecondFactor(context, audit, caller, params.user_id)),
    }),
    passkeyOptions: async ({ client }) => ({ ok, options: await passkeyOptions(context, client.origin) }),
    openidStart: (input) => provider.start(input),
    openidCallback: (input) => provider.callback(input),
  }
}

async function anyPasskey({ db }: AccountsContext): Promise<boolean> {
  return (await db.read.selectFrom('passkey').select('passkey_id').limit(1).executeTakeFirst()) !== undefined
}

async function methodsOf({ db }: AccountsContext, { user_id }: Caller) {
  const user = await db.read
    .selectFrom('user')
    .select('password_hash')
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  const totp = await findTotp(db.read, user_id)
  const identities = await db.read
    .selectFrom('openid_identity')
    .select(['issuer', 'created_at', 'last_used_at'])
    .where('user_id', '=', user_id)
    .orderBy('created_at')
    .execute()
  const confirmed_at = totp?.confirmed_at ?? null
  return {
    password: user.password_hash !== null,
    totp:
      confirmed_at === null
        ? null
        : { confirmed_at: iso(confirmed_at), backup_codes: await countBackupCodes(db.read, user_id) },
    openid: identities.map((each) => ({
      issuer: each.issuer,
      created_at: iso(each.created_at),
      last_used_at: iso(each.last_used_at),
    })),
  }
}
