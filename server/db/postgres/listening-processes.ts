/** The processes of ours that listen on the database, each version's: what they were last asked is seen. */
export const LISTENING = `select pid from pg_stat_activity where datname = current_database() and query = 'listen reeve'`
