/** When something was off for everybody, as an administrator knows it: between the answer and the next request. */
export interface OffPeriod {
  /** Epoch milliseconds. */
  readonly from: number
  until: number
}

export interface EffectWanted {
  /** Epoch milliseconds of the first request that asked for it. */
  readonly asked: number
  /** Which switch it is under; null: none. */
  readonly under: string | null
  /** Why it must not happen, once that was acknowledged. */
  refused: string | null
  /** The service said that it was done. */
  done: boolean
}

/** Everything that the service has acknowledged, by the names that only this test knows. */
export class Acknowledged {
  /** Mark of a message → whose it is, and whether the service said that it has it. */
  readonly messages = new Map<string, { readonly by: string; acknowledged: boolean }>()
  /** Id of a file → whose it is, and the SHA-256 of its bytes. */
  readonly files = new Map<string, { readonly by: string; readonly hash: string }>()
  /** Id of a quick command → its name, null once deleting it was acknowledged; `unknown`: what is there now is not known. */
  readonly commands = new Map<string, { name: string | null; unknown: boolean }>()
  /** Id of an approval → what was acknowledged. */
  readonly decisions = new Map<string, 'approve' | 'deny'>()
  /** Mark of an effect → what is known of it. */
  readonly effects = new Map<string, EffectWanted>()
  /** Person → values that a setting may have: the last acknowledged one, and those that nobody answered since. */
  readonly settings = new Map<string, string[]>()
  readonly off = new Map<string, OffPeriod[]>()

  effect(mark: string, under: string | null): EffectWanted {
    const wanted: EffectWanted = { asked: Date.now(), under, refused: null, done: false }
    this.effects.set(mark, wanted)
    return wanted
  }

  /** Begins a period; the result ends it. */
  switchedOff(subject: string): () => void {
    const period: OffPeriod = { from: Date.now(), until: Infinity }
    this.off.set(subject, [...(this.off.get(subject) ?? []), period])
    return () => (period.until = Date.now())
  }
}
