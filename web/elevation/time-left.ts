import { useNow } from '../shell/use-now.ts'
import { formatDuration } from '../text/format.ts'

const CLOSE_MS = 120_000

/** Whole minutes until a time, the seconds of the last two; null once it has come. */
export function useTimeLeft(at: string): string | null {
  const end = new Date(at).getTime()
  const now = useNow(end - Date.now() < CLOSE_MS + 20_000 ? 1000 : 20_000)
  const left = end - now
  if (left <= 0) return null
  return formatDuration(left < CLOSE_MS ? Math.ceil(left / 1000) * 1000 : Math.ceil(left / 60_000) * 60_000)
}
