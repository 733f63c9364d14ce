import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Trx } from '../../db/database.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Vault } from '../../kernel/vault.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import { type Challenge, NoAccess, NotConnected, type RemoteAccess } from '../spec/remote-access.ts'
import { renewGrant } from './authorization.ts'
import { ClientForgotten, GrantOver } from './authorization-problem.ts'
import { forgetClient } from './client-rows.ts'
import {
  breakConnection,
  keepChallenge,
  leaveRenewal,
  type OpenedConnection,
  readConnection,
  saveRenewal,
  takeRenewal,
} from './connection-rows.ts'

/** Tokens that end within this time are renewed before they are sent. */
const EARLY_MS = 30_000
const LOOK_AGAIN_MS = 200

export interface AccessPorts {
  readonly db: Database
  readonly vault: Vault
  readonly clock: () => number
  readonly fetch: (module: string) => (input: string | URL, init?: RequestInit) => Promise<Response>
  /** In the transaction in which a connection turns out to be over. */
  readonly onBroken: (trx: Trx, connection: OpenedConnection) => Promise<void>
  /** In the transaction in which the server says that it wants more than was granted. */
  readonly onWanted: (trx: Trx, connection: OpenedConnection) => Promise<void>
}

/** The authorization server cannot say now: what was granted may count as before. */
class NotRenewed extends NoAccess {
  override readonly name = 'NotRenewed'
  constructor(detail: Sentence) {
    super('access_not_renewed', detail)
  }
}

function madeAnew(): NotConnected {
  return new NotConnected(say`The connection was just made anew.`)
}

/** The permissions that a refusal names, as far as they are names. */
function scopeIn(header: string | null): string | null {
  return /scope="([\x21\x23-\x5b\x5d-\x7e ]{1,200})"/.exec(header ?? '')?.[1] ?? null
}

/** Hands out the tokens of connections. Tokens are renewed by one at a time, across processes. */
export class Accesses {
  readonly #ports: AccessPorts
  /** Renewals of this process, by module and owner. */
  readonly #renewals = new Map<string, Promise<OpenedConnection>>()

  constructor(ports: AccessPorts) {
    this.#ports = ports
  }

  /**
   * For one line to the server: it stays with the connection that it began with, since who connects anew may do so with
   * another account. `onToken` is told each token before it is sent, so that it can be masked in what comes back.
   */
  of(module: string, owner: string, onToken: (token: string) => void): RemoteAccess {
    let own: OpenedConnection | null = null
    const isOthers = (found: OpenedConnection) => own !== null && own.connected_at !== found.connected_at
    const told = (found: OpenedConnection) => {
      // What it had counts for as long as the server takes it.
      if (!isOthers(found)) own = found
      const { access_token } = own!.grant
      onToken(access_token)
      return access_token
    }
    return {
      token: async () => {
        const found = await this.#connected(module, owner)
        const { expires_at, refresh_token } = found.grant
        const ends = expires_at !== null && expires_at - EARLY_MS < this.#ports.clock()
        if (!ends || refresh_token === undefined || isOthers(found)) return told(found)
        return told(await (expires_at > this.#ports.clock() ? this.#early(found) : this.#renewed(found)))
      },
      renewed: async (refused) => {
        const found = await this.#connected(module, owner)
        if (isOthers(found)) throw madeAnew()
        // Somebody has renewed it since it was sent.
        if (found.grant.access_token !== refused) return told(found)
        if (found.grant.refresh_token !== undefined) return told(await this.#renewed(found))
        throw await this.#broken(found, say`The server does not accept the connection any more. Connect it again.`)
      },
      ended: async (challenge, token) => this.#ended(module, owner, challenge, token),
    }
  }

  async #connected(module: string, owner: string): Promise<OpenedConnection> {
    const { db, vault } = this.#ports
    const found = await readConnection(db.read, vault, module, owner)
    if (found === null) throw new NotConnected()
    if (found.status !== 'connected') throw new NotConnected(found.problem ?? undefined)
    return found
  }

  #renewed(found: OpenedConnection): Promise<OpenedConnection> {
    const key = `${found.module}\0${found.owner}`
    let renewal = this.#renewals.get(key)
    if (renewal === undefined) {
      renewal = this.#renewInTurn(found).finally(() => this.#renewals.delete(key))
      this.#renewals.set(key, renewal)
    }
    return renewal
  }

  /** Its token counts for a while yet, so one call renews it and no other waits; it need not succeed. */
  async #early(found: OpenedConnection): Promise<OpenedConnection> {
    if (!(await takeRenewal(this.#ports.db, found, 'early'))) return this.#connected(found.module, found.owner)
    try {
      return await this.#renew(found)
    } catch (error) {
      if (error instanceof NotRenewed && found.grant.expires_at! > this.#ports.clock()) return found
      throw error
    }
  }

  /** A refresh token counts once at many servers, so whoever comes second waits for what the first one gets. */
  async #renewInTurn(found: OpenedConnection): Promise<OpenedConnection> {
    while (!(await takeRenewal(this.#ports.db, found, 'due'))) {
      await delay(LOOK_AGAIN_MS)
      const now = await this.#connected(found.module, found.owner)
      if (now.version !== found.version || now.connected_at !== found.connected_at) return now
    }
    return this.#renew(found)
  }

  /** By whoever has taken it. */
  async #renew(found: OpenedConnection): Promise<OpenedConnection> {
    const { db, vault, clock, fetch } = this.#ports
    try {
      const grant = await renewGrant(found.grant, fetch(found.module), clock())
      await saveRenewal(db, vault, found, grant)
      return await this.#connected(found.module, found.owner)
    } catch (error) {
      if (error instanceof ClientForgotten)
        await forgetClient(db, vault, { module: found.module, issuer: found.issuer }, found.grant.client.client_id)
      if (error instanceof GrantOver)
        throw await this.#broken(found, say`What was granted has ended or was taken back. Connect it again.`)
      await leaveRenewal(db, found).catch(() => undefined)
      if (error instanceof NotConnected) throw error
      throw new NotRenewed(say`The access could not be renewed: ${sentenceOf(error)}`)
    }
  }

  async #ended(module: string, owner: string, { status, header }: Challenge, token: string): Promise<NoAccess> {
    const found = await this.#connected(module, owner)
    if (found.grant.access_token !== token) return madeAnew()
    if (status !== 403)
      return this.#broken(found, say`The server does not accept the connection any more. Connect it again.`)
    // What was granted still counts for whatever else is called.
    const scope = scopeIn(header)
    const problem =
      scope === null
        ? say`The server wants more than was granted. Connect it again to agree to that.`
        : say`The server wants more than was granted (${scope}). Connect it again to agree to that.`
    const { db, onWanted } = this.#ports
    await db.transaction(async (trx) => {
      if (await keepChallenge(trx, found, problem, header ?? '')) await onWanted(trx, found)
    })
    return new NoAccess('scope_required', problem)
  }

  async #broken(found: OpenedConnection, problem: Sentence): Promise<NotConnected> {
    const { db, onBroken } = this.#ports
    await db.transaction(async (trx) => {
      if (await breakConnection(trx, found, problem)) await onBroken(trx, found)
    })
    return new NotConnected(problem)
  }
}
