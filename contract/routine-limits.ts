import type { RoutineLimits } from './routine-values.ts'

/** What holds where a new routine says nothing else. */
export const ROUTINE_DEFAULTS: RoutineLimits = {
  overlap: 'skip',
  catch_up_s: 300,
  run_limit_s: 1800,
  token_budget: null,
  call_budget: null,
  card_life_s: 43_200,
}
