set -e
cd /srv
git pull
make
