import { formatNumber } from '../format.ts'

/** Millionths of a currency unit as an amount, without a currency: the prices were given without one. */
export function formatCost(micros: number): string {
  const amount = micros / 1e6
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2
  return formatNumber(amount, { minimumFractionDigits: 2, maximumFractionDigits: digits })
}
