const DAY_S = 86_400

export const WATCH_LIMITS = {
  /** Of one person; and those of all administrators. */
  own: 50,
  shared: 50,
  name: 80,
  /** Rows or machines that one watch follows. */
  subjects: 200,
  /** Conditions on rows. */
  filters: 5,
  /** Of the arguments of a tool, as JSON. */
  arguments: 4000,
  /** Characters of a value that is compared as text, and of what is kept of one. */
  text: 200,
  /** People who are told. */
  people: 20,
  interval_s: { min: 60, max: DAY_S },
  for_s: { max: 7 * DAY_S },
  /** A reminder while it lasts comes no more often. */
  repeat_s: { min: 900, max: 7 * DAY_S },
  /** Days for which crossings are listed. */
  history_days: 90,
} as const

/** As `WatchFigure` describes them. */
export const WATCH_FIGURES = [
  'disk_used',
  'memory_used',
  'load',
  'failed_services',
  'backup_age',
  'certificate_days',
] as const

/** Figures that the installation has, and no machine: administrators watch them. */
export const INSTALLATION_FIGURES: readonly (typeof WATCH_FIGURES)[number][] = ['backup_age', 'certificate_days']
