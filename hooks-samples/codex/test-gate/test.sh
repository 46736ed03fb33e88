# Stands for the tests of the project.
if [ -e broken ]; then
  echo 'login: expected 200, got 500'
  exit 1
fi
