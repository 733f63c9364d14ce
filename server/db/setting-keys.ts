/** The setting with the local CA that all processes share, sealed. */
export const LOCAL_CA_SETTING = 'tls.local_ca'
