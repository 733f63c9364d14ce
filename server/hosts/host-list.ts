import { LOCAL_HOST } from '../../contract/host-values.ts'
import type { CallHost, HostList } from '../chat/ports/hosts.ts'
import type { Database, Trx } from '../db/database.ts'
import { query } from '../db/statement.ts'
import { hashOf } from '../kernel/text/canonical.ts'

const TOPIC = 'hosts'
const LOCAL: CallHost = { host_id: LOCAL_HOST, name: LOCAL_HOST, tags: [], local: true, disabled: false, bound: '' }

/** The machines that calls may be about. Every process keeps the list, so that looking at it costs nothing. */
export class KnownHosts implements HostList, Disposable {
  readonly #db: Database
  readonly #stopListening: () => void
  #known: readonly CallHost[] = [LOCAL]
  #begun = 0
  #read = 0

  private constructor(db: Database) {
    this.#db = db
    this.#stopListening = db.revisions.follow(TOPIC, () => this.read())
  }

  static async open(db: Database): Promise<KnownHosts> {
    const hosts = new KnownHosts(db)
    await hosts.read()
    return hosts
  }

  known(): readonly CallHost[] {
    return this.#known
  }

  async read(): Promise<readonly CallHost[]> {
    const turn = ++this.#begun
    const rows = Map.groupBy(await HOSTS.all(this.#db.read, {}), ({ host_id }) => host_id)
    const all = [...rows.values()].map(([row, ...more]): CallHost => {
      const { host_id, name, host_key, account, disabled_at } = row!
      return {
        host_id,
        name,
        tags: [row!, ...more].flatMap(({ tag }) => tag ?? []),
        local: host_id === LOCAL_HOST,
        disabled: disabled_at !== null,
        bound: hashOf([host_id, host_key, account]),
      }
    })
    const read = all.toSorted((a, b) => Number(b.local) - Number(a.local))
    // One that began later may have ended before.
    if (turn > this.#read) [this.#known, this.#read] = [read, turn]
    return read
  }

  /** Has every process read them again; in the transaction that changes them. */
  changed(trx: Trx): void {
    this.#db.wake(trx, TOPIC)
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}

const HOSTS = query((db) =>
  db
    .selectFrom('host')
    .leftJoin('host_tag', 'host_tag.host_id', 'host.host_id')
    .select(['host.host_id', 'name', 'host_key', 'account', 'disabled_at', 'tag'])
    .orderBy('name_folded')
    .orderBy('tag'),
)
