/**
 * Why an engine gave no answer, or only part of one: the `error_code` of a run and the `code` of the notice in its answer.
 * Stable: programs may tell failures apart by them. Runs from before this list have `ai_unavailable` or `run_failed`.
 */
export const ENGINE_FAILURES = [
  /** The provider refused the key. */
  'engine_key',
  /** The provider needs a key, and the engine has none. */
  'engine_no_key',
  /** The account at the provider has no credit left. */
  'engine_quota',
  /** The provider limits requests or is overloaded; the notice says for how long, if the provider did. */
  'engine_rate',
  /** The conversation does not fit the model, even shortened. */
  'engine_context',
  /** The provider does not know the model, or nothing of the kind is at the address. */
  'engine_model',
  /** No connection: refused, unknown name, wrong certificate. */
  'engine_network',
  /** The address redirects elsewhere. */
  'engine_redirect',
  /** The connection broke, or the answer ended, in the middle. */
  'engine_cut',
  /** Nothing came for as long as the engine's time limits allow. */
  'engine_timeout',
  /** What came is no answer: garbage, a web page, nothing at all. */
  'engine_answer',
  /** The provider reports an error of its own. */
  'engine_error',
  /** The provider refuses this request for another reason. */
  'engine_refused',
] as const
export type EngineFailure = (typeof ENGINE_FAILURES)[number]
