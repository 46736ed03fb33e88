export default {
  title: "Explain",
} as const;
