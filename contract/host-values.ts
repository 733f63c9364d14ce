/** The id and the name of the machine that Reeve runs on. */
export const LOCAL_HOST = 'local'
/** Stands for all machines where a tag is named, and so is no tag. */
export const EVERY_HOST = 'all'
/** The account that the setup script makes, unless another one is named. */
export const HOST_ACCOUNT = 'reeve'
export const SSH_PORT = 22
/** The module whose tools work on machines: its calls name them in an argument that the server adds. */
export const MACHINE_MODULE = 'system'
export const HOST_ARGUMENT = 'host'
export const HOST_LIMITS = {
  /** Machines, the local one included. */
  hosts: 200,
  /** Tags of a machine. */
  tags: 20,
  /** Machines in between, one behind the other. */
  jumps: 3,
} as const

/** How what people type about a machine is written. A page says in its own words what is wrong with it. */
export const HOST_PATTERNS = {
  /** As it is written in calls: `host=web-1`. Names that differ in case only are the same. */
  name: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  /** In small letters, as it is written in calls: `host=#web`. */
  tag: /^[a-z0-9][a-z0-9._-]{0,31}$/,
  /** A host name, or an IP address: without port and brackets. */
  address:
    /^(?=.{1,253}$)(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,62}(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*\.?|(?=.*:.*:)[0-9A-Fa-f:.]{2,45})$/,
  account: /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/,
  /** IP addresses and networks (192.0.2.0/24), separated by commas or white space. */
  from: /^(?:[0-9A-Fa-f.:]+(?:\/\d{1,3})?(?:[\s,]+|$))*$/,
} as const
