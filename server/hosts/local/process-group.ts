/** Sends a signal to a whole process group. False when the group is empty. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal)
  } catch (error) {
    // EPERM: it exists, but nothing in it may be signalled (a program that changed its user).
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Ends a process group: SIGTERM at once, and SIGKILL after `grace_ms` to whatever is left, including the leader's
 * children. Returns a function to call when the leader has ended, which skips the wait if the group is already empty.
 */
export function endGroup(leader: number, grace_ms: number, ended: () => void): { leaderEnded(): void } {
  signalGroup(leader, 'SIGTERM')
  let done = false
  const finish = () => {
    if (done) return
    done = true
    clearTimeout(timer)
    ended()
  }
  const timer = setTimeout(() => {
    signalGroup(leader, 'SIGKILL')
    finish()
  }, grace_ms)
  return {
    leaderEnded() {
      if (!signalGroup(leader, 0)) finish()
    },
  }
}
