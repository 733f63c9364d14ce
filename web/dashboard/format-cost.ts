import { formatNumber } from '../text/format.ts'

/** Millionths of a currency unit as an amount, without a currency symbol: prices are entered without one. */
export function formatCost(micros: number): string {
  const amount = micros / 1e6
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2
  return formatNumber(amount, { minimumFractionDigits: 2, maximumFractionDigits: digits })
}
