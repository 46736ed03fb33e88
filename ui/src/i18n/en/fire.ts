export default {
  title: "Fire",
} as const;
