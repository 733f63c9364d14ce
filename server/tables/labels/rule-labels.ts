import { cleanLabel } from './clean-label.ts'

/** Always written in capitals. */
const ACRONYMS = new Set(
  (
    'acl ai api arn ascii bic cdn cidr cpu crc css csv dhcp dns eof erp fifo fk fqdn ftp gpu guid html http https iban icmp id imei ' +
    'io iops ip ipv4 ipv6 iso isbn json jwt lan ldap llm lun mac mfa mtu nas nat nic ntp os otp pc pdf pid pk pin pk png ppid psu qps ram ' +
    'rpc rpm rps rss rtt sha sku sla sms smtp sql ssd ssh sso ssl tcp tls totp ttl udp ui uid gid uri url usb utc uuid vat vcpu vlan vm ' +
    'vpn wan xml yaml'
  ).split(' '),
)

/** A last word that names a unit, and how that is written. */
const UNITS: Readonly<Record<string, string>> = {
  pct: '%',
  percent: '%',
  percentage: '%',
  ns: 'ns',
  us: 'µs',
  ms: 'ms',
  sec: 's',
  secs: 's',
  seconds: 's',
  mins: 'min',
  minutes: 'min',
  hrs: 'h',
  hours: 'h',
  bytes: 'bytes',
  kb: 'kB',
  mb: 'MB',
  gb: 'GB',
  tb: 'TB',
  kib: 'KiB',
  mib: 'MiB',
  gib: 'GiB',
  tib: 'TiB',
  bps: 'bit/s',
  kbps: 'kbit/s',
  mbps: 'Mbit/s',
  gbps: 'Gbit/s',
  hz: 'Hz',
  mhz: 'MHz',
  ghz: 'GHz',
  km: 'km',
  cm: 'cm',
  mm: 'mm',
  kg: 'kg',
  mg: 'mg',
  kw: 'kW',
  kwh: 'kWh',
  usd: 'USD',
  eur: 'EUR',
  gbp: 'GBP',
  chf: 'CHF',
  rub: 'RUB',
  uah: 'UAH',
  cny: 'CNY',
  jpy: 'JPY',
  brl: 'BRL',
}

/**
 * Labels for keys without any engine: splits snake, kebab, dotted and camel case into words, and writes acronyms and
 * units the usual way. Labels that already read like text stay as they are. Two keys never get the same label.
 */
export function ruleLabels(keys: readonly string[]): Map<string, string> {
  const labels = new Map(keys.map((key) => [key, labelOf(key)]))
  const times = new Map<string, number>()
  for (const label of labels.values()) times.set(label, (times.get(label) ?? 0) + 1)
  for (const [key, label] of labels) if (times.get(label)! > 1) labels.set(key, cleanLabel(key) || label)
  return labels
}

function labelOf(key: string): string {
  const text = cleanLabel(key)
  // It contains blanks: a person wrote it for people.
  if (/\S\s+\S/.test(text)) return text
  const words = wordsOf(text)
  const last = words.at(-1)?.toLowerCase() ?? ''
  if (words.length > 1 && Object.hasOwn(UNITS, last))
    return cleanLabel(`${sentence(words.slice(0, -1))} (${UNITS[last]})`)
  return cleanLabel(sentence(words)) || text || '—'
}

function wordsOf(text: string): string[] {
  return (
    text
      .replace(/_+|(?<=[\p{L}\d])-+(?=[\p{L}\d])|(?<=\p{L})[.:]+(?=\p{L})/gu, ' ')
      .replace(/%/g, ' pct')
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      // `HTTPServer`, but not the plural of `IDs`.
      .replace(/(\p{Lu}+)(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu, '$1 $2')
      .split(' ')
      .filter((word) => word !== '')
  )
}

/**
 * The first word with a capital, the others in lower case, except acronyms and names such as `IDs` or `eBay` that
 * follow no rule.
 */
function sentence(words: readonly string[]): string {
  const shouting = words.every((word) => word === word.toUpperCase())
  return words
    .map((word, i) => {
      const small = word.toLowerCase()
      if (ACRONYMS.has(small)) return small === 'ipv4' ? 'IPv4' : small === 'ipv6' ? 'IPv6' : small.toUpperCase()
      if (/^\p{Lu}+s$/u.test(word) && ACRONYMS.has(small.slice(0, -1))) return word
      if (!shouting && word.length > 1 && word === word.toUpperCase() && /\p{Lu}/u.test(word)) return word
      return i === 0 ? small.replace(/^./u, (first) => first.toUpperCase()) : small
    })
    .join(' ')
}
