/** Waking this topic tells the process that drives the run to stop it. */
export function cancelTopic(run_id: string): string {
  return `cancel:${run_id}`
}
