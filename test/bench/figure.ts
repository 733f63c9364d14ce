import { appendFileSync } from 'node:fs'

/** A figure of the table with which `npm run bench` ends, and that docs/performance.md keeps. */
export interface Figure {
  /** What was measured, in words that stay the same: it is the key under which the last figure is found. */
  readonly figure: string
  readonly value: number
  readonly unit: string
  /** What it should be: `< 20`, `≥ 5000`; left out for what is only compared. */
  readonly aim?: string
  /** Whether more of it is better. Less is, when left out. */
  readonly more?: boolean
}

/** Hands a figure to the table. Run alone, a bench has no table, and its own report says the same. */
export function hand(...figures: readonly Figure[]): void {
  const file = process.env['REEVE_BENCH_FIGURES']
  if (file) appendFileSync(file, figures.map((each) => `${JSON.stringify(each)}\n`).join(''))
}
