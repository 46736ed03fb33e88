/** Shares of a time limit from which its use is worth a warning, and an alarm. */
export const WARN_AT = 0.6;
export const ALARM_AT = 0.9;
