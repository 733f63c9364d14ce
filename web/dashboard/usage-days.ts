import type { UsageDay } from '../../contract/usage.ts'

const DAY = 86_400_000

/** The last `count` UTC days, oldest first, including days without usage. */
export function everyDay(days: readonly UsageDay[], count: number, now: number): UsageDay[] {
  const known = new Map(days.map((day) => [day.day, day]))
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * DAY).toISOString().slice(0, 10)
    return known.get(day) ?? { day, messages: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0 }
  })
}
