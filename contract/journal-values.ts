/** Of the journal, most urgent first: syslog's. */
export const LOG_PRIORITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const
export const JOURNAL_LIMITS = {
  /** Logs that one person follows at once, and that are followed on one machine, in one process of the service. */
  of_user: 3,
  of_host: 6,
  of_process: 40,
  /** After so many seconds without word of the page, a follower ends. */
  lease_s: 30,
  /** After so many minutes a follower ends by itself, and after so many MiB of what the machine has written. */
  minutes: 30,
  mib: 32,
  /** Lines in one second. Those beyond are left out, the oldest first, and counted. */
  lines_per_second: 100,
  /** Characters of a line. */
  line: 1000,
} as const
