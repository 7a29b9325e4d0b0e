export default [
  {
    files: ["web/**/*.js"],
    languageOptions: {ecmaVersion: "latest", sourceType: "module"},
    rules: {
      "eqeqeq": "error",
      "no-dupe-keys": "error",
      "no-redeclare": "error",
      "no-self-assign": "error",
      "no-unreachable": "error",
      "no-unused-vars": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
