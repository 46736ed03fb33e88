// Generated from the sentence tables; do not edit by hand.

export const sentences: Record<string, { en: string; zh: string; hint_en?: string; hint_zh?: string }> = {};
