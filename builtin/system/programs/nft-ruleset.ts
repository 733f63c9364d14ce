/** A rule, or a chain's policy, of `nft -j list ruleset`. */
interface FirewallRule {
  readonly table: string
  readonly chain: string
  readonly handle: number | null
  /** Its parts as nft has them, in one line of JSON, or `policy drop`. */
  readonly rule: string
  readonly comment: string
}

const RULE_LENGTH = 1000

/** Null when the text is not what nft prints. */
export function parseRuleset(text: string): FirewallRule[] | null {
  try {
    const { nftables } = fieldsOf(JSON.parse(text))
    return Array.isArray(nftables) ? rulesOf(nftables) : null
  } catch {
    // No JSON, or nested deeper than anything can be written.
    return null
  }
}

function rulesOf(items: readonly unknown[]): FirewallRule[] {
  return items.flatMap((item: unknown): FirewallRule[] => {
    const { chain, rule } = fieldsOf(item)
    const fields = fieldsOf(chain ?? rule)
    const word = (name: string) => (typeof fields[name] === 'string' ? fields[name].slice(0, 300) : '')
    const handle = Number.isSafeInteger(fields['handle']) ? (fields['handle'] as number) : null
    const table = `${word('family')} ${word('table')}`
    if (rule !== undefined) {
      const said = JSON.stringify(fields['expr'] ?? []).slice(0, RULE_LENGTH)
      return [{ table, chain: word('chain'), handle, rule: said, comment: word('comment') }]
    }
    // Only chains that are hooked into the kernel have a policy.
    if (chain === undefined || word('hook') === '') return []
    return [{ table, chain: word('name'), handle, rule: `policy ${word('policy') || 'accept'}`, comment: word('hook') }]
  })
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
}
